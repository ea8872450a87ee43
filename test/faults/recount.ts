// Compares the engine's directory with PostgreSQL once the engine has stopped: every kept entry,
// and every window and hold of snapshot and journal, recomputed from the rows. It also searches the
// files for data that must never be written down.
import { join } from 'node:path'
import { openSegmentLog } from '../../engine/journal/open-segment-log.ts'
import { recoverState } from '../../engine/recover-state.ts'
import { CALENDAR_INTERVALS, calendarDay } from '../../engine/state/calendar.ts'
import type { DecisionState } from '../../engine/state/decision-state.ts'
import { systemClock } from '../../shared/clock.ts'
import { encodeId } from '../../shared/id.ts'
import { countedAmount, noSums, SUM_NAMES, type Sums } from '../../shared/transaction-sums.ts'
import { SEGMENT_BYTES } from '../harness/segment-bytes.ts'
import { leaks } from './leaks.ts'
import type { Stack } from './stack.ts'

const ALL_TIME = CALENDAR_INTERVALS.indexOf('all_time')

/**
 * Stops the engine, compares, and starts it again; returns problems as sentences. Everything is
 * drained.
 */
export async function recount(stack: Stack): Promise<string[]> {
  await stack.engineProcess.stop()
  const problems = leaks(stack)
  const directory = join(stack.directory, 'journal')
  const opened = await openSegmentLog({
    directory,
    segmentBytes: SEGMENT_BYTES,
    clock: systemClock,
    events: { onSynced: () => {}, onFailed: (reason) => problems.push(reason) },
  })
  if ('refused' in opened) return [opened.refused]
  const { log } = opened
  try {
    const kept = new Map<number, Buffer>()
    if (log.oldestSeq > 0)
      log.replay(log.oldestSeq, (seq, bytes) => kept.set(seq, Buffer.from(bytes)))
    problems.push(...(await entryDifferences(stack, kept)))
    const recovered = recoverState(directory, log)
    if (recovered.ok) problems.push(...(await windowDifferences(stack, recovered.value.state)))
    else problems.push(recovered.error)
  } finally {
    await log.close()
  }
  await stack.engineProcess.start()
  return problems
}

/** A row must contain exactly the bytes of its journal entry. */
async function entryDifferences(
  stack: Stack,
  kept: ReadonlyMap<number, Buffer>,
): Promise<string[]> {
  const rows = await stack.sql<{ journal_seq: number; entry: Buffer }[]>`
    select journal_seq, entry from card_transaction_messages
    union all select journal_seq, entry from unmatched_messages`
  return rows
    .filter(({ journal_seq: seq, entry }) => kept.get(seq)?.equals(entry) === false)
    .map(({ journal_seq: seq }) => 'entry ' + seq + ' is another in Postgres than in the journal')
}

interface Kept {
  id: string
  card_id: string
  currency: string
  sums: Partial<Sums>
  flags: number
}

/** Compares sums, flags and windows of the engine with those of the rows. */
async function windowDifferences(stack: Stack, state: DecisionState): Promise<string[]> {
  const problems: string[] = []
  const rows = await stack.sql<Kept[]>`
    select id, card_id, currency, sums, flags from card_transactions`
  const byId = new Map(rows.map((row) => [row.id, row]))
  const { transactions, meters } = state
  for (const place of transactions.all()) {
    const id = 'txn_' + encodeId(transactions.idOf(place))
    const { sums, flags } = transactions.read(place)
    const row = byId.get(id)
    const same = row !== undefined && row.flags === flags && sameSums(sums, row.sums)
    if (!same) problems.push(id + ' is ' + JSON.stringify(sums) + ', not ' + JSON.stringify(row))
  }
  const day = calendarDay('UTC', systemClock.nowMs()).label
  const counted = new Map<string, number>()
  for (const row of rows) {
    const key = row.card_id + ' ' + row.currency
    counted.set(key, (counted.get(key) ?? 0) + countedAmount({ ...noSums(), ...row.sums }))
  }
  for (const [key, cents] of counted) {
    const [cardId = '', currency = ''] = key.split(' ')
    const meter = meters.find(cardId, 'UTC', currency)
    const used = meter === -1 ? 0 : meters.used(meter, ALL_TIME, day)
    if (used !== cents) problems.push(cardId + ' used ' + used + ', Postgres counts ' + cents)
  }
  return problems
}

function sameSums(sums: Sums, kept: Partial<Sums>): boolean {
  return SUM_NAMES.every((name) => sums[name] === (kept[name] ?? 0))
}
