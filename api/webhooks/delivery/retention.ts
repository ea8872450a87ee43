// Retention of events and their deliveries: whole days are dropped, and no row is read or deleted
// one by one. The work runs beside everything else, in small parts.
//
// Chosen: a day is dropped once its youngest event is older than SVC_EVENT_RETENTION. Open
// deliveries of such an event end as `expired`; ended deliveries and attempts stay a day longer, so
// that the end stays visible. An event that was not even fanned out keeps its whole day.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Sql } from '../../database/pool.ts'
import type { Job, JobRun } from '../../jobs/job.ts'
import {
  DAY_MS,
  type DayPartition,
  dropDayPartition,
  endedDayPartitions,
  makeDayPartitions,
} from './day-partitions.ts'
import { expireDeliveries } from './expire.ts'

/** Milliseconds of rest after a round without work, or with a table in use by a reader. */
const ROUND_MS = 60_000
/** Chosen: a drop waits for readers of its table. */
const LEASE_MS = 300_000
/** Rows of one statement; the next round takes the next. */
const ROWS_MAX = 1000

/** True where something else still has to read an event whose id was made before `until`. */
export type EventsNeeded = (sql: Sql, until: EpochMs) => Promise<boolean>

interface Keeping extends JobRun {
  /** The begin of the oldest day that stays. */
  oldest: EpochMs
  needed: EventsNeeded
}

/** `retentionMs` of events; null keeps them without end. */
export function retentionJob(retentionMs: number | null, needed: EventsNeeded): Job {
  return {
    name: 'retention',
    every: ROUND_MS,
    lease: LEASE_MS,
    batch: ROWS_MAX,
    run: (run) => keep({ ...run, needed }, retentionMs),
  }
}

async function keep(world: Omit<Keeping, 'oldest'>, retentionMs: number | null): Promise<number> {
  const made = await makeDayPartitions(world, world.now)
  if (retentionMs === null) return made
  const kept = world.now - retentionMs
  const keeping = { ...world, oldest: kept - (kept % DAY_MS) }
  const expired = await endExpired(keeping)
  return made + expired + (await dropDays(keeping)) + (await purgeRows(keeping))
}

/**
 * Ends open deliveries of expiring events, and tests of that age. Attempts in flight end first,
 * unless their event is gone. Each part follows its index: rows that stay are not read, whatever
 * the backlog.
 */
async function endExpired({ sql, now, oldest }: Keeping): Promise<number> {
  const which = sql`
    with old as materialized (
      (
        select id from open_deliveries
        where event_id >= 'evt_' and event_id < id_floor('evt', ${oldest}::bigint)
        order by event_id limit ${ROWS_MAX}
      )
      union
      (
        select id from open_deliveries
        where id >= 'dlv_' and id < id_floor('dlv', ${oldest}::bigint)
        order by id limit ${ROWS_MAX}
      )
    )
    select id from open_deliveries d
    where id = any (array(select id from old)) and (
      lease_token is null
      or (body is null and not exists (select from events where events.id = d.event_id))
    )
    order by id for update skip locked`
  return expireDeliveries(sql, which, now)
}

/**
 * Returns the number of days dropped. When one day is in use, the others wait too: each try may
 * block other sessions.
 */
async function dropDays(world: Keeping): Promise<number> {
  let dropped = 0
  for (const day of await endedDayPartitions(world.sql, world.oldest)) {
    if (day.kept !== 'events' && day.until + DAY_MS > world.oldest) continue
    if (day.kept === 'events' && !(await isDone(world, day))) continue
    if (!(await dropDayPartition(world, day))) break
    world.log.info({ table: day.name }, 'an old day was dropped')
    dropped += 1
  }
  return dropped
}

/**
 * Returns true when no open delivery, no fan-out and no count waits for an event of this day. The
 * outbox is checked before the lock: an outbox row that a recovery adds in between names an event
 * that is gone, and is skipped.
 */
async function isDone(
  { sql, log, needed }: Keeping,
  { name, until }: DayPartition,
): Promise<boolean> {
  const [waiting] = await sql<{ addressed: number; unaddressed: number }[]>`
    select
      (
        select count(*) from open_deliveries
        where event_id >= 'evt_' and event_id < id_floor('evt', ${until}::bigint)
      ) as addressed,
      (
        select count(*) from event_outbox where event_id < id_floor('evt', ${until}::bigint)
      ) as unaddressed`
  const { addressed = 0, unaddressed = 0 } = waiting ?? {}
  if (unaddressed > 0)
    log.warn({ table: name, events: unaddressed }, 'a day stays: events of it are not fanned out')
  if (addressed + unaddressed > 0) return false
  const isNeeded = await needed(sql, until)
  if (isNeeded) log.warn({ table: name }, 'a day stays: events of it are not counted')
  return !isNeeded
}

/** Removes old rows outside any partition: there are very few. */
async function purgeRows(world: Keeping): Promise<number> {
  const { sql, oldest } = world
  let forgotten = await purgeUnplaced(world)
  const hours = await sql`
    delete from endpoint_hours where ctid = any (array(
      select ctid from endpoint_hours where hour < ${oldest}
      order by hour limit ${ROWS_MAX} for update skip locked
    ))`
  const absences = await sql`
    delete from endpoint_absences where ctid = any (array(
      select ctid from endpoint_absences where until_at < ${oldest}
      order by until_at limit ${ROWS_MAX} for update skip locked
    ))`
  const recoveries = await sql`
    delete from recoveries where ctid = any (array(
      select ctid from recoveries where finished_at < ${oldest}
      order by finished_at limit ${ROWS_MAX} for update skip locked
    ))`
  for (const { count } of [hours, absences, recoveries]) forgotten += count
  return forgotten
}

/**
 * Removes rows that came when their day was already dropped, or not yet made. Rows of later days
 * wait for their own.
 */
async function purgeUnplaced({ sql, oldest, needed }: Keeping): Promise<number> {
  const kept = await sql<{ kept: string; key: string; prefix: string }[]>`
    select kept, key, prefix from day_tables()`
  let forgotten = 0
  for (const { kept: whole, key, prefix } of kept) {
    if (whole === 'events' && (await needed(sql, oldest))) continue
    const table = sql(whole + '_other')
    const before = whole === 'events' ? oldest : oldest - DAY_MS
    const named =
      whole === 'events'
        ? sql`and id not in (
            select event_id from event_outbox where event_id < id_floor('evt', ${oldest}::bigint)
          ) and not exists (select from open_deliveries d where d.event_id = ${table}.id)`
        : sql``
    const gone = await sql`
      delete from ${table} where ctid = any (array(
        select ctid from ${table}
        where ${sql(key)} >= ${prefix + '_'} and ${sql(key)} < id_floor(${prefix}, ${before}::bigint)
          ${named}
        limit ${ROWS_MAX} for update skip locked
      ))`
    forgotten += gone.count
  }
  return forgotten
}
