// What a journal amounts to, in words that outlive its format: what every window counts, what every
// transaction came to, which cards are stopped, what stand-in let through. Written down once beside
// a release's journal, read back by every later version.
import { openSegmentLog } from '../../engine/journal/open-segment-log.ts'
import { type RecoveredState, recoverState } from '../../engine/recover-state.ts'
import { CALENDAR_INTERVALS } from '../../engine/state/calendar.ts'
import type { DecisionState } from '../../engine/state/decision-state.ts'
import type { Clock } from '../../shared/clock.ts'
import { encodeId } from '../../shared/id.ts'
import { flagNames } from '../../shared/transaction-sums.ts'
import type { KeptState } from './releases.ts'

export const RELEASE_SEGMENT_BYTES = 64 * 1024

/**
 * A meter: whose, where, from which moment on it is read, and what it holds of amount and number by
 * interval.
 */
export type KeptMeter = [
  subject: string,
  zone: string,
  currency: string,
  filter: string,
  moment: number,
  ...used: number[],
]

/** Sums and flags by name: those that are not 0. */
export interface KeptTransaction {
  id: string
  sequence: number
  hold_expires_at_ms: number
  flags: string[]
  sums: { [name: string]: number }
}

export type KeptStop = [card: string, version: number, rule: string | null]

/** The state of a journal that nobody has open. Throws where it is refused. */
export async function recovered(journal: string, clock: Clock): Promise<RecoveredState> {
  const opened = await openSegmentLog({
    directory: journal,
    segmentBytes: RELEASE_SEGMENT_BYTES,
    clock,
    events: { onSynced: () => {}, onFailed: () => {} },
  })
  if ('refused' in opened) throw new Error(opened.refused)
  const state = recoverState(journal, opened.log)
  await opened.log.close()
  if (!state.ok) throw new Error(state.error)
  return state.value
}

/** Meters of a state, those that `keys` names: subject, zone, currency, filter and moment. */
export function metersNow(
  { meters }: DecisionState,
  keys: readonly (readonly [string, string, string, string, number, ...number[]])[],
): KeptMeter[] {
  return keys.map(([subject, zone, currency, filter, moment]) => {
    const meter = meters.find(subject, zone, currency, filter)
    const used = CALENDAR_INTERVALS.flatMap((_, interval) =>
      meter === -1
        ? [-1, -1]
        : [meters.used(meter, interval, moment), meters.usedCount(meter, interval, moment)],
    )
    return [subject, zone, currency, filter, moment, ...used]
  })
}

/** Every transaction that is remembered, by id. */
export function transactionsNow({ transactions }: DecisionState): KeptTransaction[] {
  return [...transactions.all()]
    .map((row) => {
      const { sums, flags, sequence, holdExpiresAtMs } = transactions.read(row)
      return {
        id: 'txn_' + encodeId(transactions.idOf(row)),
        sequence,
        hold_expires_at_ms: holdExpiresAtMs,
        flags: flagNames(flags),
        sums: Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0)),
      }
    })
    .sort((one, two) => one.id.localeCompare(two.id))
}

/** Cards by the rule that stopped them. */
export function stopsNow({ tries }: DecisionState, cards: readonly KeptStop[]): KeptStop[] {
  return cards.map(([card, version]) => [card, version, tries.stoppedBy(card, version)])
}

/** What stand-in let through, of these cards and of the tenant they belong to. */
export function standInNow(
  { standIn, latestMs }: DecisionState,
  cards: readonly string[],
): NonNullable<KeptState['stand_in']> {
  return {
    cards: cards.map((card) => [card, standIn.ofCard(card, latestMs)]),
    tenant_cents: standIn.ofTenant('ten_1', 'sandbox', 'USD', latestMs),
  }
}
