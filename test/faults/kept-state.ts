// The contents of a journal in terms that outlive its format: the sums of every window, the state
// of every transaction, the stopped cards, the stand-in approvals. The file is written once beside
// a release's journal, and every later version reads it.
import { openSegmentLog } from '../../engine/journal/open-segment-log.ts'
import { type RecoveredState, recoverState } from '../../engine/recover-state.ts'
import { CALENDAR_INTERVALS } from '../../engine/state/calendar.ts'
import type { DecisionState } from '../../engine/state/decision-state.ts'
import type { Clock } from '../../shared/clock.ts'
import { encodeId } from '../../shared/id.ts'
import { flagNames } from '../../shared/transaction-sums.ts'
import type { ConfigRecord } from '../../shared/wire/config-records.ts'

export const RELEASE_SEGMENT_BYTES = 64 * 1024

/**
 * A meter: subject, zone, currency, filter, the moment from which it is read, and its amount and
 * number by interval.
 */
export type KeptMeter = [
  subject: string,
  zone: string,
  currency: string,
  filter: string,
  moment: number,
  ...used: number[],
]

export interface KeptState {
  entries: number
  decisions: number
  late_replies: number
  /** Decisions without a card. */
  unmatched: number
  /** The entry after which the latest snapshot was taken. */
  snapshot_seq: number
  latest_ms: number
  /** Everything that counts. */
  meters: KeptMeter[]
  transactions: KeptTransaction[]
  stopped: KeptStop[]
  stand_in: { cards: [card: string, cents: number][]; tenant_cents: number }
  /** Config records, one of every type. */
  configCache: ConfigRecord[]
  facts_format: number
}

/** Sums and flags by name, without zeros. */
export interface KeptTransaction {
  id: string
  sequence: number
  hold_expires_at_ms: number
  flags: string[]
  sums: { [name: string]: number }
}

export type KeptStop = [card: string, version: number, rule: string | null]

/** The state of a journal that no process has open. Throws if the journal is refused. */
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

/** The meters of a state that `keys` name by subject, zone, currency, filter and moment. */
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

/** Every remembered transaction, by id. */
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

/** Stopped cards with the rule that stopped them. */
export function stopsNow({ tries }: DecisionState, cards: readonly KeptStop[]): KeptStop[] {
  return cards.map(([card, version]) => [card, version, tries.stoppedBy(card, version)])
}

/** The approvals of stand-in, of these cards and of their tenant. */
export function standInNow(
  { standIn, latestMs }: DecisionState,
  cards: readonly string[],
): KeptState['stand_in'] {
  return {
    cards: cards.map((card) => [card, standIn.ofCard(card, latestMs)]),
    tenant_cents: standIn.ofTenant('ten_1', 'sandbox', 'USD', latestMs),
  }
}
