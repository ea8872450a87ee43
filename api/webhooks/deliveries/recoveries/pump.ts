// Queues the events of recoveries, a few at a time: fan-out takes them at the tenant's pace, after
// the waiting events. Only a few are ever queued, so a recovery can be canceled at any moment.
import type { EpochMs } from '../../../../shared/clock.ts'
import type { Sql } from '../../../database/pool.ts'
import { type TxSql, tx } from '../../../database/transaction.ts'
import type { Job } from '../../../jobs/job.ts'
import { earliestId, matching, type Wanted } from './matching.ts'
import { finishRecovery } from './store.ts'

/** Queued events of one recovery: the number that fan-out takes in five seconds. */
const IN_LINE_MAX = 500
/** Smaller steps are not worthwhile. */
const STEP_MIN = 50

/**
 * Each recovery runs in a transaction of its own; recoveries locked by another dispatcher are
 * skipped.
 */
export const recoveryPump: Job = {
  name: 'recoveries',
  every: 1000,
  lease: 60_000,
  /** Recoveries. */
  batch: 200,
  async run({ sql, now, batch }) {
    const running = await sql<{ id: string }[]>`
      select id from recoveries where status = 'running' order by id limit ${batch}`
    let done = 0
    for (const { id } of running) done += await pump(sql, id, now)
    return done
  },
}

/** Returns the number of events; 0 while the queue is full. */
async function pump(sql: Sql, id: string, now: EpochMs): Promise<number> {
  return tx(sql, async (inner) => {
    const recovery = await lockRunning(inner, id)
    if (recovery === null) return 0
    const finished = { id, now: now + recovery.wanted.clockOffsetMs }
    if (!recovery.enabled) {
      const cancelReason = 'endpoint_disabled'
      await finishRecovery(inner, { ...finished, status: 'canceled', cancelReason })
      return 1
    }
    const room = IN_LINE_MAX - recovery.inLine
    if (recovery.cursor >= recovery.untilSeq) {
      if (recovery.inLine > 0) return 0
      await finishRecovery(inner, { ...finished, status: 'completed', cancelReason: null })
      return 1
    }
    if (room < STEP_MIN) return 0
    await putInLine(inner, recovery, room)
    return 1
  })
}

interface RunningRecovery {
  id: string
  wanted: Wanted
  /** True if the endpoint was enabled all the while. */
  enabled: boolean
  cursor: number
  untilSeq: number
  /** Events of the recovery that wait for fan-out. */
  inLine: number
}

type RunningRow = Omit<RunningRecovery, 'wanted'> &
  Wanted['owner'] &
  Omit<Wanted, 'owner' | 'endpoint'> & {
    endpointId: string
    filter: string[] | null
    epoch: number
  }

/**
 * Returns null if the recovery is over or locked by another dispatcher. The read follows the lock:
 * it counts events queued by the previous holder.
 */
async function lockRunning(sql: TxSql, id: string): Promise<RunningRecovery | null> {
  const [locked] = await sql<{ id: string }[]>`
    select id from recoveries where id = ${id} and status = 'running' for update skip locked`
  if (locked === undefined) return null
  const [row] = await sql<RunningRow[]>`
    select r.id, r.tenant_id as "tenantId", r.environment, r.which, r.event_types as "eventTypes", r.since_at as since,
      r.until_at as until, r.cursor_seq as cursor, r.until_seq as "untilSeq", r.endpoint_id as "endpointId",
      e.event_types as filter, r.epoch,
      e.status = 'enabled' and e.enabled_epoch = r.epoch as enabled,
      clock_offset(r.tenant_id, r.environment) as "clockOffsetMs",
      (select count(*) from event_outbox where recovery_id = r.id) as "inLine"
    from recoveries r join webhook_endpoints e on e.id = r.endpoint_id
    where r.id = ${id}`
  if (row === undefined) return null
  const { tenantId, environment, endpointId, filter, epoch, which, eventTypes } = row
  const { since, until, clockOffsetMs, enabled, cursor, untilSeq, inLine } = row
  const owner = { tenantId, environment }
  const endpoint = { id: endpointId, eventTypes: filter, epoch }
  const wanted = { owner, endpoint, which, eventTypes, since, until, clockOffsetMs }
  return { id, wanted, enabled, cursor, untilSeq, inLine }
}

/**
 * Reads the next `room` events. They queue after the present events: by the number of the latest
 * event, because their own numbers would put them first.
 */
async function putInLine(sql: TxSql, recovery: RunningRecovery, room: number): Promise<void> {
  const { id, wanted, cursor, untilSeq } = recovery
  const { owner, endpoint } = wanted
  await sql`
    with seen as materialized (
      select id, seq, type, resource_id, created_at from events
      where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
        and seq > ${cursor} and seq <= ${untilSeq} and id >= ${earliestId(sql, 'evt', wanted)}
      order by seq limit ${room}
    ),
    put as (
      insert into event_outbox (event_id, tenant_id, environment, lane, seq, only_endpoint, recovery_id)
      select e.id, ${owner.tenantId}, ${owner.environment}, 1, latest.event_seq, ${endpoint.id}, ${id}
      from seen e cross join (
        select event_seq from tenant_sequences
        where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      ) latest
      where ${matching(sql, wanted)}
      order by e.seq
      returning 1
    )
    update recoveries set
      matched = matched + (select count(*) from put),
      cursor_seq = case when (select count(*) from seen) < ${room} then until_seq else (select max(seq) from seen) end
    where id = ${id}`
}
