// The issuer's own records on a real engine: PIN, wallet tokens, 3DS results, rates, and cards that
// a fraud rule stops.
import { test } from 'tap'
import { type NetworkMessage, UNREADABLE_PIN } from '../../shared/schemas/network-message.ts'
import type { FraudRule } from '../../shared/wire/config-records.ts'
import type { DecisionEntry, JournalEntry } from '../../shared/wire/journal-entry.ts'
import {
  cardConfig,
  derivation,
  newMessage,
  PAN,
  pushConfig,
  startEngine,
  type TestEngine,
} from '../harness/engine.ts'
import { controlsConfig, limitConfig } from '../harness/judged.ts'

/** Long, because a number in an entry may hold four digits by chance. */
const PIN = '471108153692'
const fingerprint = derivation.fingerprint(PAN)
const pinVerifier = derivation.pinVerifier(fingerprint, PIN)

function atTerminal(engine: TestEngine, pin: string) {
  const { card } = newMessage()
  return engine.purchase({ card: { ...card, pin }, entry_method: 'chip' })
}

function decisions(entries: readonly JournalEntry[]): DecisionEntry[] {
  return entries.filter((entry) => entry.kind === 'decision')
}

test('the third wrong PIN in a row is the last, also over a restart, until the card changes', async (t) => {
  let engine = await startEngine(t)
  await pushConfig(engine, { card: { pin_verifier: pinVerifier } })
  t.match(await atTerminal(engine, PIN), { approved: true })
  const wrong = { approved: false, decline_reason: 'pin_incorrect', response_code: '55' }
  t.match(await atTerminal(engine, '0000'), wrong)
  t.match(await atTerminal(engine, PIN), { approved: true }, 'a right one begins anew')
  for (let tries = 0; tries < 3; tries++) t.match(await atTerminal(engine, '0000'), wrong)
  engine = await engine.restart()
  const over = { approved: false, decline_reason: 'pin_tries_exceeded', response_code: '75' }
  t.match(await atTerminal(engine, PIN), over, 'the right one comes too late')
  t.match(await engine.purchase(), { approved: true }, 'without a PIN the card goes on')
  await engine.push(cardConfig({ pin_verifier: pinVerifier, version: 2 }))
  t.match(await atTerminal(engine, PIN), { approved: true })

  const text = JSON.stringify(await engine.entries())
  t.notMatch(text, PIN, 'no PIN in the journal')
  t.match(
    decisions(await engine.entries()).map((entry) => entry.pin),
    ['match', 'mismatch', 'match', 'mismatch', 'mismatch', 'mismatch', 'match', 'not_provided'],
  )
})

test('a PIN is not checked if the card has none', async (t) => {
  const engine = await startEngine(t)
  await pushConfig(engine)
  for (const pin of ['0000', UNREADABLE_PIN])
    t.match(await atTerminal(engine, pin), { approved: true }, pin)
  t.match(
    decisions(await engine.entries()).map((entry) => entry.pin),
    ['not_checked', 'not_checked'],
  )
  await engine.push(cardConfig({ pin_verifier: pinVerifier, version: 2 }))
  const wrong = { approved: false, decline_reason: 'pin_incorrect' }
  t.match(await atTerminal(engine, UNREADABLE_PIN), wrong, 'a card with a PIN counts it as a try')
})

test('a wallet token counts in the issuer’s own state', async (t) => {
  const engine = await startEngine(t)
  const token = { type: 'wallet_token' as const, version: 1, provider: 'apple', card_id: 'card_1' }
  await pushConfig(engine, {
    more: [
      { ...token, id: 'wt_active', status: 'active' },
      { ...token, id: 'wt_suspended', status: 'suspended' },
      { ...token, id: 'wt_other', status: 'active', card_id: 'card_2' },
    ],
  })
  const withToken = (token_id: string) => engine.purchase({ wallet: { token_id } })
  t.match(await withToken('wt_active'), { approved: true })
  const inactive = { approved: false, decline_reason: 'token_inactive', response_code: '62' }
  for (const id of ['wt_suspended', 'wt_other', 'wt_nobody'])
    t.match(await withToken(id), inactive, id)
  await engine.push({ ...token, id: 'wt_active', version: 2, status: 'deactivated' })
  t.match(await withToken('wt_active'), inactive)
})

test('only a recorded 3DS result counts as authenticated, and a claim stays a claim', async (t) => {
  const engine = await startEngine(t)
  const result = {
    type: 'authentication' as const,
    version: 1,
    card_id: 'card_1',
    expires_at_ms: 9e15,
  }
  await pushConfig(engine, {
    more: [
      { ...result, id: 'card_1:ds-good', result: 'authenticated' },
      { ...result, id: 'card_1:ds-bad', result: 'failed' },
      { ...result, id: 'card_1:ds-old', result: 'authenticated', expires_at_ms: 1 },
      { ...result, id: 'card_2:ds-other', result: 'authenticated', card_id: 'card_2' },
    ],
  })
  const claims: readonly [three_ds: NetworkMessage['three_ds'], known: DecisionEntry['threeDs']][] =
    [
      [{ claim: 'failed', transaction_id: 'ds-good' }, 'authenticated'],
      [{ claim: 'authenticated', transaction_id: 'ds-bad' }, 'failed'],
      [{ claim: 'authenticated', transaction_id: 'ds-old' }, 'claimed_authenticated'],
      [{ claim: 'authenticated', transaction_id: 'ds-other' }, 'claimed_authenticated'],
      [{ claim: 'attempted' }, 'claimed_attempted'],
      [{ claim: 'exempt' }, 'exempt'],
    ]
  for (const [three_ds] of claims) {
    if (three_ds !== undefined) await engine.purchase({ entry_method: 'online', three_ds })
  }
  await engine.purchase()
  t.same(
    decisions(await engine.entries()).map((entry) => entry.threeDs),
    [...claims.map(([, known]) => known), 'none'],
  )
})

test('another currency is converted by the network’s amount or by our rate', async (t) => {
  const engine = await startEngine(t)
  await pushConfig(engine, {
    program: { fx_margin_bps: 200 },
    more: [
      { type: 'fx_rate', id: 'EUR/USD', version: 1, rate: '1.10', rate_at_ms: 5 },
      controlsConfig({ limits: [limitConfig({})] }),
    ],
  })
  const euros = (amount_cents: number, change: Partial<NetworkMessage> = {}) =>
    engine.purchase({ currency: 'EUR', amount_cents, ...change })
  t.match(await euros(5000), { approved: true, approved_amount_cents: 5000 })
  t.match(await euros(4000), { approved: false, decline_reason: 'limit_daily' })
  const billing = { amount_cents: 4390, currency: 'USD' }
  t.match(await euros(4000, { billing }), { approved: true }, 'exactly what is left')
  t.match(await engine.purchase({ amount_cents: 1 }), { decline_reason: 'limit_daily' })
  t.match(await engine.purchase({ currency: 'SEK' }), { decline_reason: 'fx_rate_unavailable' })
  const entries = decisions(await engine.entries())
  t.match(entries[0], {
    cardAmountCents: 5610,
    fx: { rate: '1.122', source: 'internal', marginBps: 200, version: 1 },
    decision: { approvedAmountCents: 5000 },
  })
  t.match(entries[2], { cardAmountCents: 4390, fx: { rate: '1.0975', source: 'network' } })
})

const BURST: FraudRule = {
  name: 'card_testing',
  state: 'active',
  count: 3,
  seconds: 60,
  amount_cents: 500,
}

test('a card-testing burst stops the card at once and over a restart', async (t) => {
  let engine = await startEngine(t)
  await pushConfig(engine, { program: { fraud_rules: [BURST] } })
  const probe = () => engine.purchase({ entry_method: 'online', amount_cents: 100 })
  for (let count = 0; count < 3; count++) t.match(await probe(), { approved: true })
  const stopped = { approved: false, decline_reason: 'card_suspended' }
  t.match(await probe(), stopped)
  engine = await engine.restart()
  t.match(await engine.purchase(), stopped, 'for everything, not for probes only')
  const suspensions = (await engine.entries()).filter((entry) => entry.kind === 'card_suspension')
  t.match(suspensions, [{ cardId: 'card_1', cardVersion: 1, rule: 'card_testing' }], 'once')
  await engine.push(cardConfig({ version: 2, status: 'suspended', suspended_by: 'fraud_rule' }))
  t.match(await engine.purchase(), stopped)
  await engine.push(cardConfig({ version: 3 }))
  t.match(await engine.purchase(), { approved: true }, 'the tenant resumed it')
})

test('a fraud rule in draft changes no answer and is recorded', async (t) => {
  let engine = await startEngine(t)
  await pushConfig(engine, { program: { fraud_rules: [{ ...BURST, state: 'draft' }] } })
  for (let count = 0; count < 4; count++)
    t.match(await engine.purchase({ entry_method: 'online', amount_cents: 100 }), {
      approved: true,
    })
  t.same(
    decisions(await engine.entries()).map((entry) => entry.decision.wouldStop.join()),
    ['', '', 'card_testing', 'card_testing'],
  )
  // The same engine, later: an ended card gives its reason, also after the config cache is read
  // again.
  const stolen = { decline_reason: 'card_stolen', response_code: '43' }
  await engine.push(cardConfig({ version: 2, status: 'terminated', loss: 'stolen' }))
  t.match(await engine.purchase(), stolen)
  engine = await engine.restart()
  t.match(await engine.purchase(), stolen)
  await engine.push(cardConfig({ version: 3, status: 'terminated', loss: 'lost' }))
  t.match(await engine.purchase(), { decline_reason: 'card_lost', response_code: '41' })
})
