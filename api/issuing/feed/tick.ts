// One tick of the feed: the counts of all new transactions, and those of them that are shown. Pure.
import { type EpochMs, isoInstant } from '../../../shared/clock.ts'
import type { FeedRow, FeedTick } from '../../../shared/schemas/transaction-feed.ts'
import type { TenantOutcome } from '../../../shared/wire/decision-record.ts'

/** Transactions of one event at most: more are unreadable while they move. */
export const SHOWN_MAX = 20

/** A row of the tenant's list, as the feed reads it. */
export interface FeedRecord {
  seq: number
  id: string
  createdAt: EpochMs
  cardId: string
  cardholderId: string
  merchantName: string
  mcc: string
  amountCents: number
  approvedCents: number
  currency: string
  status: FeedRow['status']
  kind: FeedRow['kind']
  declineReason: string | null
  standIn: boolean
  tenantOutcome: TenantOutcome | null
  /** Milliseconds by which the tenant's clock is ahead. */
  offsetMs: number
}

/** A tick with the number of its last transaction. */
export interface Numbered {
  seq: number
  tick: FeedTick
}

/** Outcomes of requests that no endpoint got. */
const UNSENT: ReadonlySet<string> = new Set(['not_configured', 'breaker_open', 'bulkhead_full'])

/** The records to show: declined ones before the others, the newest of each. */
export function chosen(records: readonly FeedRecord[]): FeedRecord[] {
  const newest = records.toReversed()
  const declined = newest.filter(isDeclined)
  const others = newest.filter((record) => !isDeclined(record))
  return [...declined, ...others].slice(0, SHOWN_MAX)
}

/**
 * `now` is tenant time; `last4` has the last four digits by card id. The records are in the order
 * of their numbers, and there is one at least.
 */
export function tickOf(
  records: readonly FeedRecord[],
  { now, last4 }: { now: EpochMs; last4: ReadonlyMap<string, string> },
): FeedTick {
  const shown = chosen(records)
  const declined = records.filter(isDeclined)
  const newest = records.at(-1)
  return {
    at: isoInstant(now),
    lag_ms: newest === undefined ? null : Math.max(0, now - newest.createdAt),
    counts: {
      transactions: records.length,
      approved: records.length - declined.length,
      declined: declined.length,
      reasons: countBy(declined.map(({ declineReason }) => declineReason ?? 'other')),
      asked: records.filter(({ tenantOutcome: one }) => one !== null && !UNSENT.has(one)).length,
      stand_in: records.filter(({ standIn }) => standIn).length,
    },
    transactions: shown.map((record) => rowOf(record, last4.get(record.cardId) ?? '')),
    shown: shown.length,
    skipped: records.length - shown.length,
  }
}

/** The sum of a tick whose transactions were dropped, and the tick after it. */
export function joined(dropped: FeedTick, next: FeedTick): FeedTick {
  const [one, two] = [dropped.counts, next.counts]
  const reasons: { [reason: string]: number } = { ...one.reasons }
  for (const [reason, count] of Object.entries(two.reasons))
    reasons[reason] = (reasons[reason] ?? 0) + count
  return {
    ...next,
    counts: {
      transactions: one.transactions + two.transactions,
      approved: one.approved + two.approved,
      declined: one.declined + two.declined,
      reasons,
      asked: one.asked + two.asked,
      stand_in: one.stand_in + two.stand_in,
    },
    skipped: one.transactions + next.skipped,
  }
}

/** The tick without its transactions. */
export function withoutRows(tick: FeedTick): FeedTick {
  return { ...tick, transactions: [], shown: 0, skipped: tick.counts.transactions }
}

function isDeclined({ status }: FeedRecord): boolean {
  return status === 'declined'
}

function countBy(names: readonly string[]): { [name: string]: number } {
  const counts: { [name: string]: number } = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

function rowOf(record: FeedRecord, last4: string): FeedRow {
  return {
    id: record.id,
    created_at: isoInstant(record.createdAt),
    card_id: record.cardId,
    cardholder_id: record.cardholderId,
    last4,
    merchant_name: record.merchantName,
    mcc: record.mcc,
    amount_cents: record.amountCents,
    approved_cents: record.approvedCents,
    currency: record.currency,
    status: record.status,
    kind: record.kind,
    decline_reason: record.declineReason,
    stand_in: record.standIn,
  }
}
