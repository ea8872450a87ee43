// The days of which events, ended deliveries and attempts are kept: made ahead, and dropped whole when they are old. Both need
// a lock that everybody else waits behind, so it is asked for in a short transaction of its own and given up at once where
// somebody is reading: the day is made or dropped later.
import type { EpochMs } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import type { Sql } from '../database/pool.ts'
import { type TxSql, tx } from '../database/transaction.ts'

export const DAY_MS = 24 * 3_600_000
/** Of the dispatchers all may be away for a week before events are kept without a day, which costs nothing but their drop. */
const DAYS_AHEAD = 7
/** Nobody waits longer behind a lock that is not given. */
const LOCK_WAIT = '200ms'
const LOCK_REFUSED = '55P03'

export interface DayWorld {
  sql: Sql
  log: Logger
}

/** Makes the days from `now` until a week later that are not there; how many tables. One that fails keeps no other back. */
export async function makeDays({ sql, log }: DayWorld, now: EpochMs): Promise<number> {
  const moments = Array.from({ length: DAYS_AHEAD + 1 }, (_, ahead) => now + ahead * DAY_MS)
  const missing = await sql<{ moment: number }[]>`
    select distinct moment from unnest(${moments}::bigint[]) as wanted (moment), day_tables() t
    where to_regclass(
      t.kept || '_' || to_char(to_timestamp(moment / 1000.0) at time zone 'UTC', 'YYYYMMDD')
    ) is null
    order by moment`
  let made = 0
  for (const { moment } of missing) {
    const tables = await briefly({ sql, log }, 'a day is made later', async (inner) => {
      const [row] = await inner<{ made: number }[]>`
        select make_days(${moment}::bigint, 0) as made`
      return row?.made ?? 0
    })
    made += tables ?? 0
  }
  return made
}

/** One day of one table. */
export interface KeptDay {
  /** The whole: `events`, for example. */
  kept: string
  /** The part of it that is this day. */
  name: string
  /** Every id of it was made before this moment. */
  until: EpochMs
}

/** The days that ended at or before `oldest`, the oldest first. */
export async function endedDays(sql: Sql, oldest: EpochMs): Promise<readonly KeptDay[]> {
  return sql<KeptDay[]>`
    select * from (
      select t.kept, c.relname as name,
        day_start_ms(to_date(substring(c.relname from '_([0-9]{8})$'), 'YYYYMMDD') + 1) as until
      from day_tables() t
      join pg_inherits i on i.inhparent = to_regclass(t.kept)
      join pg_class c on c.oid = i.inhrelid
    ) day
    where until <= ${oldest} order by until, name`
}

/** Drops a day with everything in it. False where somebody is reading: nothing happened, and it may be tried later. */
export async function dropDay(world: DayWorld, { name }: KeptDay): Promise<boolean> {
  const dropped = await briefly(world, name + ' is dropped later', async (inner) => {
    await inner`drop table if exists ${inner(name)}`
    return true
  })
  return dropped ?? false
}

/** Null where a lock was not given. */
async function briefly<Value>(
  { sql, log }: DayWorld,
  otherwise: string,
  work: (sql: TxSql) => Promise<Value>,
): Promise<Value | null> {
  const locking = async (inner: TxSql): Promise<Value> => {
    await inner`select set_config('lock_timeout', ${LOCK_WAIT}, true)`
    return work(inner)
  }
  try {
    return await tx(sql, locking, { safeToRepeat: true })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === LOCK_REFUSED)) throw error
    log.info(otherwise + ': somebody is at work there')
    return null
  }
}
