// Shared steps of the spending scenarios: reading the used amount of a window, and limits that are
// put back afterwards.
import { type Document, isDocument, type LimitInput, valueAt } from '../api.ts'
import type { SecretCard } from '../sandbox.ts'
import type { Stage } from '../stage.ts'

/** Far above any amount of the simulator; it is judged, so the trace contains the used amount. */
export const WIDE_CENTS = 1_000_000_000_000

export type Interval = LimitInput['interval']

/** Replaces the card's own limits; the limits of before come back when the scenario ends. */
export async function borrowLimits(stage: Stage, card: SecretCard): Promise<SetLimit> {
  const { api } = stage
  const before = ownLimits(await api.card(card.id))
  stage.afterwards(() => api.replaceLimits(card.id, before))
  return (interval, amountCents) =>
    stage.api.replaceLimits(card.id, [
      { interval, amount_cents: amountCents, currency: card.currency, time_zone: 'UTC' },
    ])
}

/** Makes this the only limit of the card. */
export type SetLimit = (interval: Interval, amountCents: number) => Promise<void>

function ownLimits(card: Document): LimitInput[] {
  const limits = Array.isArray(card['limits']) ? card['limits'] : []
  return limits
    .filter((limit) => valueAt(limit, 'scope') === 'card')
    .map(({ interval, amount_cents, currency, time_zone }) => ({
      interval,
      amount_cents,
      currency,
      time_zone,
    }))
}

/**
 * Cents counted in the window of the card's limit with this interval, after a probe of one cent: a
 * used sandbox has spent some, and only the trace of a transaction knows how much.
 */
export async function countedCents(
  stage: Stage,
  card: SecretCard,
  limit: { scope: 'card' | 'cardholder'; interval: Interval },
): Promise<{ countedCents: number; limitCents: number }> {
  const probe = stage.message(card, { amount_cents: 1 })
  const { answer } = await stage.send(probe)
  if (answer === null || answer.transaction_id === null)
    throw new Error('the probe was not decided')
  const transaction = await stage.api.transaction(answer.transaction_id)
  const row = limitRow(transaction, limit)
  if (row === null) throw new Error('the trace of the probe does not show the limit')
  const before = Number(row['used_before']) + Number(row['reserved_before'])
  return {
    countedCents: before + (answer.approved ? 1 : 0),
    limitCents: Number(row['limit']),
  }
}

/** The inputs of the trace's row that judged this limit. */
export function limitRow(
  transaction: Document | null,
  limit: { scope: string; interval: Interval },
): Document | null {
  const trace = valueAt(transaction, 'decision', 'trace')
  if (!Array.isArray(trace)) return null
  for (const step of trace) {
    const inputs = valueAt(step, 'inputs')
    if (
      valueAt(step, 'rule_id') === 'within_limit' &&
      isDocument(inputs) &&
      inputs['scope'] === limit.scope &&
      inputs['interval'] === limit.interval
    )
      return inputs
  }
  return null
}
