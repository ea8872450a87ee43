// A journal of a real engine decided again: every decision is equal byte for byte, and a changed
// limit shows exactly its effect.
import { test } from 'tap'
import { type Redecided, redecide } from '../../engine/decision-replay/decision-replay.ts'
import { ConfigVersions } from '../../engine/decision-replay/versions.ts'
import { emptyState } from '../../engine/state/decision-state.ts'
import type { MinorUnits } from '../../shared/money.ts'
import type { MessageKind, NetworkMessage } from '../../shared/schemas/network-message.ts'
import type { ControlsConfig, KeptConfig, ProgramConfig } from '../../shared/wire/config-records.ts'
import { encodeEntry, type JournalEntry } from '../../shared/wire/journal-entry.ts'
import { startTenant } from '../fakes/tenant.ts'
import {
  cardConfig,
  derivation,
  endpointConfig,
  newMessage,
  PAN,
  pushConfig,
  startEngine,
  TENANT_SECRET,
  type TestEngine,
} from '../harness/engine.ts'
import { silentLog } from '../harness/engine-listener.ts'
import { controlsConfig, judgedConfig, limitConfig } from '../harness/judged.ts'
import { accountConfig, paymentFollowUp, paymentMessage } from '../harness/payment-messages.ts'
import { Random } from '../simulation/random.ts'

const MESSAGES = 400
const AT_ONCE = 20
const BUDGET_MS = 300
const DAILY = 60_000

const program: ProgramConfig = {
  ...judgedConfig().program,
  realtime: true,
  endpoint_id: 'we_1',
  fx_margin_bps: 150,
  fraud_rules: [
    { name: 'cvc_failures', state: 'draft', count: 2, seconds: 60, amount_cents: null },
  ],
}
const card = cardConfig({
  pin_verifier: derivation.pinVerifier(derivation.fingerprint(PAN), '4711'),
})
const limits = (amount: number) => [
  limitConfig({ amount_cents: amount as MinorUnits }),
  limitConfig({
    id: 'lim_2',
    interval: 'rolling',
    rolling_seconds: 60,
    count: 300,
    amount_cents: null,
  }),
]
const controls: ControlsConfig = controlsConfig({ limits: limits(DAILY) })
const holderDraft: ControlsConfig = controlsConfig({
  id: 'ch_1',
  scope: 'cardholder',
  state: 'draft',
  limits: [limitConfig({ id: 'lim_3', amount_cents: 5000 as MinorUnits })],
})
const rate = { type: 'fx_rate' as const, id: 'EUR/USD', version: 1, rate: '1.1', rate_at_ms: 1 }

/** The configuration the engine had, version by version. */
const FACTS: readonly KeptConfig[] = [
  program,
  judgedConfig().cardholder,
  card,
  { ...card, version: 2, status: 'suspended' },
  { ...card, version: 3 },
  controls,
  { ...controls, version: 2, controls: controlsConfig({ limits: limits(DAILY / 2) }).controls },
  holderDraft,
  rate,
]

function versionsOf(configCache: readonly KeptConfig[]): ConfigVersions {
  const versions = new ConfigVersions()
  for (const configRecord of configCache) versions.add(configRecord)
  return versions
}

/**
 * Messages of every kind, many about earlier transactions, twenty at a time, while card and limits
 * change.
 */
async function trouble(engine: TestEngine): Promise<void> {
  const random = new Random(7)
  const sent: NetworkMessage[] = []
  for (let count = 0; count < MESSAGES; count += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        const message = randomMessage(random, sent)
        sent.push(message)
        await engine.purchase(message)
      }),
    )
    const round = count / AT_ONCE
    if (round === 6) void engine.push(FACTS[3] as KeptConfig)
    if (round === 8) await engine.push(FACTS[4] as KeptConfig)
    if (round === 12) await engine.push(FACTS[6] as KeptConfig)
  }
}

const FOLLOW_UPS: readonly MessageKind[] = [
  'incremental',
  'reversal',
  'capture',
  'refund',
  'capture_reversal',
  'refund_reversal',
]

function randomMessage(random: Random, sent: readonly NetworkMessage[]): NetworkMessage {
  const amount_cents = 100 + random.below(900)
  const fresh = newMessage({ amount_cents, partial_approval_capable: random.chance(0.5) })
  const earlier = sent.length === 0 ? undefined : random.pick(sent)
  if (earlier !== undefined && random.chance(0.4)) {
    const original_network_transaction_id =
      earlier.original_network_transaction_id ?? earlier.network_transaction_id
    return { ...fresh, kind: random.pick(FOLLOW_UPS), original_network_transaction_id }
  }
  const kind = random.below(12)
  if (kind === 0) return { ...fresh, kind: 'balance_inquiry', amount_cents: 0 }
  if (kind === 1) return { ...fresh, kind: 'account_verification', amount_cents: 0 }
  if (kind === 2) return { ...fresh, kind: 'advice', advice: { approved: random.chance(0.5) } }
  if (kind === 3) return { ...fresh, currency: 'EUR' }
  if (kind === 4) return { ...fresh, card: { ...fresh.card, cvc: '000' } }
  if (kind === 5) return { ...fresh, card: { ...fresh.card, pin: random.pick(['4711', '0000']) } }
  if (kind === 6) return { ...fresh, card: { token: 'tok_nobody' } }
  if (kind === 7) return { ...fresh, currency: 'EUR', billing: { amount_cents, currency: 'USD' } }
  return fresh
}

async function again(
  entries: readonly JournalEntry[],
  configCache: readonly KeptConfig[],
  whatIf: boolean,
): Promise<Redecided> {
  return redecide({
    state: emptyState(),
    versions: versionsOf(configCache),
    entries: entries.map((entry, index) => ({ seq: index + 1, bytes: encodeEntry(entry) })),
    log: silentLog,
    whatIf,
    differencesMax: 1000,
  })
}

test('a replayed journal is equal, and a changed limit lists its effects', async (t) => {
  const random = new Random(3)
  const tenant = await startTenant({
    behave: async () => {
      const kind = random.below(10)
      if (kind === 0) return { kind: 'hang' }
      await new Promise((resolve) => setTimeout(resolve, random.below(60)))
      if (kind === 1) return { kind: 'reply', body: 'no JSON' }
      if (kind === 2) return { kind: 'reply', body: '{"approve":false,"decline_reason":"other"}' }
      if (kind === 3) return { kind: 'reply', body: '{"approve":true,"approved_amount_cents":50}' }
      return { kind: 'reply', body: '{"approve":true,"metadata":{"a":"b"}}' }
    },
    secrets: [TENANT_SECRET],
  })
  t.teardown(() => tenant.close())
  const engine = await startEngine(t, { budgetMs: BUDGET_MS })
  await pushConfig(engine, {
    program,
    card,
    more: [endpointConfig(tenant.url), controls, holderDraft, rate],
  })
  await trouble(engine)
  const entries = await engine.entries()

  const same = await again(entries, FACTS, false)
  t.same(
    same.differences.map(({ seq, recorded, decided }) => [seq, recorded, decided]).slice(0, 2),
    [],
  )
  t.match(same, { decisions: MESSAGES, identical: MESSAGES, unknown: 0, lostReservations: 0 })

  const lowered = FACTS.map((configRecord) =>
    configRecord.type === 'controls' && configRecord.id === 'card_1'
      ? { ...configRecord, controls: controlsConfig({ limits: limits(1000) }).controls }
      : configRecord,
  )
  const whatIf = await again(entries, lowered, true)
  t.ok(whatIf.differences.length > 10)
  const approvals = whatIf.differences.filter(
    ({ recorded, decided }) =>
      recorded.kind === 'decision' &&
      decided?.kind === 'decision' &&
      decided.decision.approved &&
      !recorded.decision.approved,
  )
  t.same(approvals, [], 'a lower limit approves nothing that was declined')
  const reasons = new Set(
    whatIf.differences.map(({ decided }) =>
      decided?.kind === 'decision' ? decided.decision.declineReason : null,
    ),
  )
  t.ok(reasons.has('limit_daily'), [...reasons].join())
})

test('payments beside cards are decided again as they were', async (t) => {
  const account = accountConfig({ funded_cents: 5_000 })
  const of = { id: account.id, scope: 'payment_account' as const }
  const limited = controlsConfig({ ...of, limits: limits(9_000) })
  const facts = [judgedConfig().program, judgedConfig().cardholder, cardConfig(), account, limited]
  const engine = await startEngine(t)
  await pushConfig(engine, { more: [account, limited] })
  for (let count = 0; count < 12; count++) {
    const payment = paymentMessage({ amount_cents: 700 })
    await engine.client.decidePayment(payment)
    await engine.purchase({ amount_cents: 10 })
    if (count % 3 === 0) {
      const capture = paymentFollowUp(payment, { kind: 'capture', amount_cents: 300 })
      await engine.client.decidePayment(capture)
    }
  }
  const entries = await engine.entries()
  const declined = entries.filter(
    (entry) => entry.kind === 'decision' && entry.decision.declineReason === 'insufficient_funds',
  )
  t.ok(declined.length > 0 && declined.length < 12)
  const same = await again(entries, facts, false)
  t.match(same, { decisions: 28, identical: 28, unknown: 0, differences: [] })
})
