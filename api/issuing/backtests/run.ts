// The job that works on backtests: one of the whole installation at a time, and at most half of the
// time, so that it stays behind all other work on the database.
import { sleep } from '../../../shared/clock.ts'
import type { BacktestEntry } from '../../../shared/wire/backtest.ts'
import { OPEN_CONTROL } from '../../../shared/wire/config-records.ts'
import type { Sql } from '../../database/pool.ts'
import { tx } from '../../database/transaction.ts'
import type { Job, JobRun } from '../../jobs/job.ts'
import { judgeEntries } from './judge-process.ts'
import {
  type ClaimedBacktest,
  claimBacktest,
  countRecorded,
  type EndedAttempt,
  endAttempt,
  entriesAt,
  type MessagePlace,
  ownIds,
  placesAfter,
  windowSubject,
} from './store.ts'

/** Chosen: recorded messages of one backtest. */
const ENTRIES_MAX = 1_000_000
const ATTEMPTS_MAX = 3
/** Places in one query, which looks at all of the subject's messages. */
const PLACES = 50_000
const ENTRIES = 500

/** `entriesMax` is a bound of tests. */
export function backtestsJob(entriesMax: number = ENTRIES_MAX): Job {
  return {
    name: 'spending_control_backtests',
    every: 1000,
    lease: 900_000,
    batch: 1,
    async run(run) {
      const { sql, now, leaseMs } = run
      const claimed = await tx(sql, (inner) => claimBacktest(inner, { now, until: now + leaseMs }))
      if (claimed === null) return 0
      const ended = await attempt(run, claimed, entriesMax)
      const { clock } = run
      await tx(sql, (inner) => endAttempt(inner, claimed, { ...ended, now: clock.nowMs() }), {
        safeToRepeat: true,
      })
      return 1
    },
  }
}

async function attempt(
  { sql, log, signal }: JobRun,
  claimed: ClaimedBacktest,
  entriesMax: number,
): Promise<EndedAttempt> {
  if (claimed.attempts > ATTEMPTS_MAX) return { result: null, failure: 'interrupted' }
  try {
    const subject = await windowSubject(sql, claimed)
    const entries = await countRecorded(sql, claimed, { subject, most: entriesMax })
    if (entries > entriesMax) return { result: null, failure: 'too_many_entries' }
    const order = {
      scope: claimed.scope,
      subjectId: subject,
      control: { ...OPEN_CONTROL, ...claimed.compiled },
      ownIds: await ownIds(sql, claimed),
      fromMs: claimed.fromAt,
    }
    const result = await judgeEntries(order, pagesOf(sql, claimed, subject), signal)
    return { result, failure: null }
  } catch (error) {
    log.warn({ backtest_id: claimed.id, err: error }, 'a backtest did not end')
    return { result: null, failure: claimed.attempts < ATTEMPTS_MAX ? null : 'interrupted' }
  }
}

/** Pauses after each page as long as the page took. */
async function* pagesOf(
  sql: Sql,
  claimed: ClaimedBacktest,
  subject: string,
): AsyncIterable<readonly BacktestEntry[]> {
  let after: MessagePlace | null = null
  for (;;) {
    const places: MessagePlace[] = await placesAfter(sql, claimed, {
      subject,
      after,
      batch: PLACES,
    })
    for (let at = 0; at < places.length; at += ENTRIES) {
      const begunMs = performance.now()
      yield await entriesAt(sql, places.slice(at, at + ENTRIES))
      await sleep(performance.now() - begunMs)
    }
    after = places.at(-1) ?? null
    if (places.length < PLACES) return
  }
}
