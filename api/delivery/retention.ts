// How long events are kept, with what was sent of them: whole days go, and no row of them is read or deleted one by one. Runs
// beside everything else, a small part at a time.
//
// Chosen: a day goes once its youngest event is older than SVC_EVENT_RETENTION. What is still open for such an event ends as
// `expired`; ended deliveries and attempts stay a day longer, so that it can be seen. An event that was not even fanned out
// keeps its whole day.
import type { EpochMs } from '../../shared/clock.ts'
import type { Timer, TimerWorld } from '../timer.ts'
import { DAY_MS, dropDay, endedDays, type KeptDay, makeDays } from './days.ts'
import { expireDeliveries } from './expire.ts'

/** After a round that found nothing to do, or a table that somebody was reading. */
const ROUND_MS = 60_000
/** Rows of one statement; the next round takes the next. */
const ROWS_MAX = 1000

interface Keeping extends TimerWorld {
  /** The begin of the oldest day that stays. */
  oldest: EpochMs
}

/** Every call makes a timer with rounds of its own. */
export function retentionTimer(): Timer {
  let restedAt: EpochMs | null = null
  return {
    name: 'retention',
    async run(world) {
      // A clock that was set back does not make it rest for longer.
      if (restedAt !== null && Math.abs(world.now - restedAt) < ROUND_MS) return 0
      restedAt = world.now
      const done = await keep(world)
      if (done > 0) restedAt = null
      return done
    },
  }
}

async function keep(world: TimerWorld): Promise<number> {
  const made = await makeDays(world, world.now)
  if (world.retentionMs === undefined) return made
  const kept = world.now - world.retentionMs
  const keeping = { ...world, oldest: kept - (kept % DAY_MS) }
  const expired = await endExpired(keeping)
  return made + expired + (await dropDays(keeping)) + (await forgetRows(keeping))
}

/**
 * What is still to be sent of events that go, and tests as old. What is under way ends first, unless its event is gone. Each
 * part is in the order of its index: whatever the backlog, what stays is not read.
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

/** How many days were dropped. Where one is not given up, the others wait too: each try may hold everybody up. */
async function dropDays(world: Keeping): Promise<number> {
  let dropped = 0
  for (const day of await endedDays(world.sql, world.oldest)) {
    if (day.kept !== 'events' && day.until + DAY_MS > world.oldest) continue
    if (day.kept === 'events' && !(await isDone(world, day))) continue
    if (!(await dropDay(world, day))) break
    world.log.info({ table: day.name }, 'a day that is old was dropped')
    dropped += 1
  }
  return dropped
}

/**
 * Whether nobody waits for an event of this day any more. The look at the outbox comes before the lock: what a recovery puts
 * there in between names an event that is gone, and is passed over.
 */
async function isDone({ sql, log }: Keeping, { name, until }: KeptDay): Promise<boolean> {
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
  return addressed + unaddressed === 0
}

/** What is old and stands in no day: there is hardly any. */
async function forgetRows(world: Keeping): Promise<number> {
  const { sql, oldest } = world
  let forgotten = await forgetUnplaced(world)
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

/** Rows that came when their day was gone already, or not made until it was over. Those of later days wait for theirs. */
async function forgetUnplaced({ sql, oldest }: Keeping): Promise<number> {
  const kept = await sql<{ kept: string; key: string; prefix: string }[]>`
    select kept, key, prefix from day_tables()`
  let forgotten = 0
  for (const { kept: whole, key, prefix } of kept) {
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
