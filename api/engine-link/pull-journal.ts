// Drains the engine's journal: one batch in flight, and rows, events and cursor in one transaction.
// After a commit with an unknown outcome, or with a rival, the cursor does not continue from our
// position: the caller reads it again and goes on.
import { type Clock, type EpochMs, sleep } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import { withDeadline } from '../database/deadline.ts'
import type { Sql } from '../database/pool.ts'
import { type TxSql, tx } from '../database/transaction.ts'
import type { Traces } from '../tracing/span.ts'
import { applyEntries, quarantine } from './apply-entries.ts'
import type { EngineClient, JournalPage } from './client.ts'
import { type DrainedEntry, drainedEntry, type RawEntry } from './drained-entry.ts'
import { entrySpans } from './entry-spans.ts'
import type { PaymentsPort } from './payments-port.ts'
import { PoisonEntry } from './poison-entry.ts'
import { withoutWiped } from './wiped.ts'
import { mapInPieces } from './yield-to-event-loop.ts'

/** About a thousand entries with their traces; 500 to 1000 measured as the best batch. */
const PAGE_BYTES_MAX = 1024 * 1024
const BATCH_ENTRIES_MAX = 1000
/**
 * Batches smaller than SMALL_BATCH wait for more entries until this many milliseconds after the
 * previous batch.
 */
const SMALL_BATCH = 100
const BATCH_INTERVAL_MS = 20
const TRANSACTION_MS_MAX = 30_000
/** Nanoseconds from one note of being caught up to the next. */
const NOTE_NS = 1e9

export interface PullParts {
  sql: Sql
  client: EngineClient
  clock: Clock
  log: Logger
  journalId: string
  payments: PaymentsPort
  /** Absent: off. */
  traces?: Traces | undefined
}

interface PageAhead {
  /** The entry before the first of the page. */
  from: number
  /** Installation time at which it was asked for. */
  askedAt: EpochMs
  page: Promise<JournalPage>
}

/**
 * The cursor in Postgres differs from this drain's position: another process drains, or our last
 * commit did arrive.
 */
export class CursorMoved extends Error {
  override readonly name = 'CursorMoved'
}

/** Drains until the signal aborts, beginning after `fromSeq`. Rejects when either side failed. */
export async function pullJournal(
  parts: PullParts,
  fromSeq: number,
  signal: AbortSignal,
): Promise<void> {
  const { client, clock, journalId } = parts
  const note = caughtUpNote(parts)
  let seq = fromSeq
  let ahead: PageAhead | null = null
  while (!signal.aborted) {
    const startedNs = clock.monotonicNs()
    const asked: PageAhead = ahead?.from === seq ? ahead : pageAfter(parts, seq)
    // A page is used once: after an empty page, the next one is requested anew.
    ahead = null
    const page = await asked.page
    if (page.journalId !== journalId || page.firstSeq !== seq + 1)
      throw new Error('the engine answered with a page of another journal')
    const entries = page.entries.map((bytes, at) => ({ seq: page.firstSeq + at, bytes }))
    if (entries.length === 0) {
      await note(asked.askedAt)
      continue
    }
    if (isFull(page)) ahead = pageAfter(parts, seq + entries.length)
    seq = await drainPage(parts, entries, seq)
    if (!isFull(page)) await note(asked.askedAt)
    await client.drained({ journal_id: journalId, seq })
    const spentMs = (clock.monotonicNs() - startedNs) / 1e6
    if (entries.length < SMALL_BATCH) await sleep(Math.max(0, BATCH_INTERVAL_MS - spentMs), signal)
  }
}

/**
 * More entries wait behind a full page. The page after a partial one would hold only the entries of
 * the next moment.
 */
function isFull({ entries }: JournalPage): boolean {
  return entries.reduce((sum, { length }) => sum + length, 0) >= PAGE_BYTES_MAX / 2
}

/** Requests the page after an entry; its bytes arrive while PostgreSQL takes the previous page. */
function pageAfter({ client, clock }: PullParts, from: number): PageAhead {
  const askedAt = clock.nowMs()
  const page = client.journal(from + 1, PAGE_BYTES_MAX)
  // The consumer of the page gets the error; when the drain failed meanwhile, the page has no
  // consumer.
  page.catch(() => undefined)
  return { from, askedAt, page }
}

/**
 * Stores how far PostgreSQL knows the journal, at most once a second: entries of before the moment
 * have arrived once a page that was asked for then is drained and was not full.
 */
function caughtUpNote({ sql, clock, journalId }: PullParts): (at: EpochMs) => Promise<void> {
  let notedNs = Number.NEGATIVE_INFINITY
  return async (at) => {
    const nowNs = clock.monotonicNs()
    if (nowNs - notedNs < NOTE_NS) return
    await withDeadline(
      sql`update journal_cursor set caught_up_at = ${at} where journal_id = ${journalId}`,
      TRANSACTION_MS_MAX,
    )
    notedNs = nowNs
  }
}

async function drainPage(
  parts: PullParts,
  entries: readonly RawEntry[],
  from: number,
): Promise<number> {
  let seq = from
  try {
    for (let at = 0; at < entries.length; at += BATCH_ENTRIES_MAX)
      seq = await drainBatch(parts, entries.slice(at, at + BATCH_ENTRIES_MAX), seq)
    return seq
  } catch (error) {
    // A commit whose answer was lost may have arrived. When the cursor did not move, the failure
    // has another cause.
    if (!(error instanceof CursorMoved)) throw error
    const moved = await drainedSeq(parts)
    if (moved === null || moved <= from) throw error
    return moved
  }
}

/** The drained position of this journal in Postgres; null when Postgres follows another journal. */
async function drainedSeq({ sql, journalId }: PullParts): Promise<number | null> {
  const [row] = await withDeadline(
    sql<{ seq: number }[]>`select seq from journal_cursor where journal_id = ${journalId}`,
    TRANSACTION_MS_MAX,
  )
  return row?.seq ?? null
}

/**
 * Applies entries that follow `from` and returns the new cursor. Their messages are assumed new; a
 * batch that Postgres refuses for its content is retried with a check of the stored messages and
 * without the entries of a wiped sandbox, and then halved until the bad entry is found, which goes
 * into quarantine.
 */
export async function drainBatch(
  parts: PullParts,
  raw: readonly RawEntry[],
  from: number,
): Promise<number> {
  const entries = await mapInPieces(raw, drainedEntry)
  const last = entries.at(-1)
  if (last === undefined) return from
  try {
    const work = (sql: TxSql) => applyEntries(sql, entries, { ...parts, taken: 'new' })
    await commit(parts, { from, to: last.seq }, work)
    tellDrained(parts, entries)
    return last.seq
  } catch (error) {
    if (!isPoison(error)) throw error
    return drainPart(parts, entries, from)
  }
}

async function drainPart(
  parts: PullParts,
  entries: readonly DrainedEntry[],
  from: number,
): Promise<number> {
  const last = entries.at(-1)
  if (last === undefined) return from
  try {
    await commit(parts, { from, to: last.seq }, async (sql) =>
      applyEntries(sql, await withoutWiped(sql, entries), parts),
    )
    tellDrained(parts, entries)
    return last.seq
  } catch (error) {
    if (!isPoison(error)) throw error
    if (entries.length === 1) {
      await commit(parts, { from, to: last.seq }, (sql) =>
        quarantine(sql, [{ entry: last, error: String(error) }], parts),
      )
      return last.seq
    }
    const middle = entries.length >> 1
    const reached = await drainPart(parts, entries.slice(0, middle), from)
    return drainPart(parts, entries.slice(middle), reached)
  }
}

/**
 * The compare-and-set comes first: its row lock keeps a rival, or our own dead transaction, from
 * writing beside us.
 */
async function commit(
  { sql, journalId }: PullParts,
  { from, to }: { from: number; to: number },
  work: (sql: TxSql) => Promise<void>,
): Promise<void> {
  const done = tx(
    sql,
    async (inner) => {
      const moved = await inner`
        update journal_cursor set seq = ${to} where journal_id = ${journalId} and seq = ${from}
      `
      if (moved.count !== 1) throw new CursorMoved('the journal cursor is not at ' + from)
      await work(inner)
    },
    { safeToRepeat: true },
  )
  await withDeadline(done, TRANSACTION_MS_MAX)
}

/**
 * SQLSTATE 22 and 23, or our own refusal: the content is at fault, and a retry of the same entry
 * would always fail.
 */
function isPoison(error: unknown): boolean {
  if (error instanceof PoisonEntry) return true
  return error instanceof Error && 'code' in error && /^2[23]\d{3}$/.test(String(error.code))
}

/**
 * After the commit: the spans of the entries, and one log line per entry at level debug, under the
 * same id as the engine's log.
 */
function tellDrained({ log, traces, clock }: PullParts, entries: readonly DrainedEntry[]): void {
  traces?.record(entrySpans(entries, clock.nowMs()))
  if (!log.isLevelEnabled('debug')) return
  for (const entry of entries) {
    const id = 'id' in entry ? entry.id : null
    log.debug({ correlation_id: id, journal_seq: entry.seq, to: entry.to }, 'drained')
  }
}
