// The daily partitions of events, ended deliveries and attempts: made ahead, and dropped whole when
// old. Both steps need a lock that blocks every other session, so each runs in its own short
// transaction and gives up at once while a reader is active: the partition is made or dropped
// later.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Logger } from '../../../shared/log.ts'
import type { Sql } from '../../database/pool.ts'
import { type TxSql, tx } from '../../database/transaction.ts'

export const DAY_MS = 24 * 3_600_000
/**
 * All dispatchers may be down for a week before events land outside a partition, which only costs
 * the cheap drop.
 */
const DAYS_AHEAD = 7
/** Longest wait of other sessions behind an ungranted lock. */
const LOCK_WAIT = '200ms'
const LOCK_REFUSED = '55P03'

export interface DayWorld {
  sql: Sql
  log: Logger
}

/**
 * Makes the missing partitions from `now` until a week later; returns the number of tables. A
 * failure does not block the others.
 */
export async function makeDayPartitions({ sql, log }: DayWorld, now: EpochMs): Promise<number> {
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
export interface DayPartition {
  /** The parent table: `events`, for example. */
  kept: string
  /** The partition of this day. */
  name: string
  /** Every id in it was made before this moment. */
  until: EpochMs
}

/** Returns the days that ended at or before `oldest`, oldest first. */
export async function endedDayPartitions(
  sql: Sql,
  oldest: EpochMs,
): Promise<readonly DayPartition[]> {
  return sql<DayPartition[]>`
    select * from (
      select t.kept, c.relname as name,
        day_start_ms(to_date(substring(c.relname from '_([0-9]{8})$'), 'YYYYMMDD') + 1) as until
      from day_tables() t
      join pg_inherits i on i.inhparent = to_regclass(t.kept)
      join pg_class c on c.oid = i.inhrelid
    ) day
    where until <= ${oldest} order by until, name`
}

/**
 * Drops a day with all its rows. Returns false while a reader is active: nothing changed, and a
 * later try may succeed.
 */
export async function dropDayPartition(world: DayWorld, { name }: DayPartition): Promise<boolean> {
  const dropped = await briefly(world, name + ' is dropped later', async (inner) => {
    await inner`select drop_day(${name})`
    return true
  })
  return dropped ?? false
}

/** Returns null when a lock was not granted. */
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
