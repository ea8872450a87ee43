// The engine's directory against PostgreSQL, once the engine has stopped: every entry that is still kept, and every window and
// hold that snapshot and journal amount to, recomputed from the rows.
import { join } from 'node:path'
import { openSegmentLog } from '../../engine/journal/open-segment-log.ts'
import { recoverState } from '../../engine/recover-state.ts'
import { CALENDAR_INTERVALS, calendarDay } from '../../engine/state/calendar.ts'
import type { DecisionState } from '../../engine/state/decision-state.ts'
import { systemClock } from '../../shared/clock.ts'
import type { Stack } from './stack.ts'

const ALL_TIME = CALENDAR_INTERVALS.indexOf('all_time')
const SEGMENT_BYTES = 1024 * 1024

/** Stops the engine, compares, and starts it again; problems are sentences. Everything is drained. */
export async function recount(stack: Stack): Promise<string[]> {
  await stack.engineProcess.stop()
  const problems: string[] = []
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

/** A row was made of exactly the bytes that the journal has. */
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

async function windowDifferences(stack: Stack, state: DecisionState): Promise<string[]> {
  const problems: string[] = []
  const day = calendarDay('UTC', systemClock.nowMs()).label
  const rows = await stack.sql<{ card_id: string; currency: string; cents: number }[]>`
    select card_id, currency, sum(approved_cents)::bigint as cents from card_transactions
    where status = 'authorized' group by card_id, currency`
  let cents = 0
  for (const row of rows) {
    cents += row.cents
    const meter = state.meters.find(row.card_id, 'UTC', row.currency)
    const used = meter === -1 ? 0 : state.meters.used(meter, ALL_TIME, day)
    if (used !== row.cents)
      problems.push(row.card_id + ' used ' + used + ', Postgres has ' + row.cents)
  }
  let held = 0
  for (const hold of state.holds.rows()) held += hold.amount
  if (held !== cents) problems.push('holds of ' + held + ' cents, approvals of ' + cents)
  return problems
}
