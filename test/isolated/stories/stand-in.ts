// A tenant that never answers, and how much stand-in lets through for it: for a payment, for a card
// and day, for an hour.
import type { Document } from '../../../scripts/simulate/api.ts'
import type { OwnChange } from '../engine.ts'
import { openSilentTenant, type SilentTenant } from '../silence.ts'
import { anotherCard, type IsolatedStory, type OwnStage, ownStory, type Sent } from '../stage.ts'

const BUDGET_MS = 1500
const HALF_PAST_ELEVEN = Date.UTC(2027, 4, 3, 23, 30)
const MIDNIGHT = Date.UTC(2027, 4, 4)
const MINUTE_MS = 60_000

const POLICY = {
  version: 1,
  action: 'controls',
  max_per_authorization_cents: 5000,
  max_per_card_per_day_cents: 8000,
  max_per_hour_cents: 12_000,
  excluded_kinds: ['cash_withdrawal'],
} as const

/** Sends a request, and lets the tenant be silent until its time is over. */
async function ask(
  stage: OwnStage,
  tenant: SilentTenant,
  change: OwnChange,
  cap: string | null,
): Promise<Sent> {
  const sending = stage.send(change, answerOf(cap))
  await tenant.asked()
  await stage.pass(stage.nowMs + BUDGET_MS)
  const sent = await sending
  const detail = { stand_in_detail: { cause: 'timeout_response', cap_id: cap } }
  const webhook = { outcome: 'timeout_response', attempts: 1 }
  const decision = { stand_in: true, decided_by: 'stand_in', ...detail, webhook }
  const status = cap === null ? 'authorized' : 'declined'
  await stage.shows(sent, { status, decision }, status)
  return sent
}

function answerOf(cap: string | null): Document {
  const by = { decided_by: 'stand_in', stand_in: true }
  if (cap === null) return { approved: true, response_code: '00', ...by }
  const kind = { decline_reason: 'stand_in_declined', response_code: '05' }
  const amount = { decline_reason: 'stand_in_limit_exceeded', response_code: '61' }
  return { approved: false, ...(cap === 'kind' ? kind : amount), ...by }
}

async function playCaps(stage: OwnStage, tenant: SilentTenant): Promise<void> {
  const other = anotherCard(stage.engine, 'other')
  const [endpoint, program] = tenant.configCache(stage.engine)
  await stage.push(endpoint, { ...program, stand_in_policy: POLICY }, other.configRecord)
  await ask(stage, tenant, { amount_cents: 5001 }, 'per_authorization')
  const first = await ask(stage, tenant, { amount_cents: 5000 }, null)
  await ask(stage, tenant, { amount_cents: 3001 }, 'per_card_per_day')
  await ask(stage, tenant, { amount_cents: 3000 }, null)
  await ask(stage, tenant, { card: other.by, amount_cents: 4000 }, null)
  // A reversal does not free the caps: approvals without the tenant stay counted.
  await stage.follow(first, { kind: 'reversal', amount_cents: 5000 })
  await ask(stage, tenant, { card: other.by, amount_cents: 1 }, 'per_hour')
  await stage.pass(MIDNIGHT)
  // The card has a new day, the tenant still the same hour.
  await ask(stage, tenant, { amount_cents: 1 }, 'per_hour')
  await stage.pass(HALF_PAST_ELEVEN + 62 * MINUTE_MS)
  await ask(stage, tenant, { amount_cents: 5000 }, null)
  const cash = { transaction_type: 'cash_withdrawal', amount_cents: 1 } as const
  await ask(stage, tenant, cash, 'kind')
}

export const OWN_STAND_IN: readonly IsolatedStory[] = [
  ownStory({
    name: 'own_stand_in_caps',
    story:
      'A silent tenant: stand-in keeps to its caps for a payment, for a card until midnight, for the running hour.',
    at: HALF_PAST_ELEVEN,
    async play(stage) {
      const tenant = await openSilentTenant()
      try {
        await playCaps(stage, tenant)
      } finally {
        tenant.close()
      }
    },
  }),
]
