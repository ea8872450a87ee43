// Counts usage from the events of each tenant, exactly once: one statement adds the usage of a
// stretch of the sequence and moves the cursor, whose row is locked. An event belongs to the
// segment that holds its moment, closed or not, whenever it arrived.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { EventType } from '../../../shared/event-catalog.ts'
import type { Owner } from '../../context.ts'
import type { Sql } from '../../database/pool.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import type { Job, JobRun } from '../../jobs/job.ts'
import { doneOf, inLanes } from '../../jobs/lanes.ts'
import type { Meter } from '../catalogue/index.ts'

/** Types of events by the meter that counts them. A repeated authorization makes no event. */
export const COUNTED: readonly (readonly [type: EventType, meter: Meter])[] = [
  ['card.transaction.authorized', 'authorizations'],
  ['card.transaction.declined', 'authorizations'],
  ['card.created', 'cards_issued'],
  ['pass.created', 'passes_issued'],
  ['card.shipped', 'physical_cards'],
  ['cardholder.kyc.completed', 'identity_checks'],
]

const EVERY_MS = 1000
const LEASE_MS = 60_000
/** Events of one step. */
const STEP_EVENTS = 50_000

/** Several processes may run it: each takes tenants whose cursor is not locked. */
export const meterJob: Job = {
  name: 'billing_meter',
  every: EVERY_MS,
  lease: LEASE_MS,
  batch: STEP_EVENTS,
  run: countAll,
}

/**
 * Counts one step of each tenant, so that one with a long backlog keeps no other waiting. Returns
 * the number of events that the cursors passed.
 */
async function countAll(run: JobRun): Promise<number> {
  const { sql, batch } = run
  let passed = 0
  const work = async (owner: Owner): Promise<boolean> => {
    const step = await tx(sql, (inner) => countStep(inner, owner, batch), { safeToRepeat: true })
    passed += step
    return step > 0
  }
  const behind = await ownersBehind(sql)
  doneOf(await inLanes(behind, run, { count: 1, failed: 'usage cannot be counted', work }))
  return passed
}

/** Tenants whose last event is not counted. */
async function ownersBehind(sql: Sql): Promise<Owner[]> {
  return sql<Owner[]>`
    select s.tenant_id as "tenantId", s.environment
    from tenant_sequences s left join billing_cursors c using (tenant_id, environment)
    where s.event_seq > coalesce(c.seq, 0)`
}

interface Stretch {
  /** Number of the last counted event. */
  seq: number
  lastSeq: number
  /** The next boundary of the subscription, in tenant time. */
  rollsAt: number | null
}

/**
 * Counts at most `steps` events of a tenant and returns how many the cursor passed; 0 while another
 * transaction holds the cursor. The step ends before an event of the next period until that period
 * has its segment.
 */
async function countStep(sql: TxSql, owner: Owner, steps: number): Promise<number> {
  const stretch = await lockStretch(sql, owner)
  if (stretch === null || stretch.lastSeq <= stretch.seq) return 0
  const { tenantId, environment } = owner
  const from = stretch.seq
  const to = Math.min(stretch.lastSeq, from + steps)
  const moved = await sql<{ seq: number }[]>`
    with part as materialized (
      select seq, m.meter, created_at
      from events join unnest(
        ${COUNTED.map(([type]) => type)}::text[], ${COUNTED.map(([, meter]) => meter)}::text[]
      ) as m (type, meter) using (type)
      where tenant_id = ${tenantId} and environment = ${environment}
        and seq > ${from} and seq <= ${to}
    ),
    reach as (
      select coalesce(min(seq) filter (where created_at >= ${stretch.rollsAt}::bigint) - 1, ${to})
        as seq
      from part
    ),
    counted as (
      select s.id as segment_id, p.meter, p.created_at - p.created_at % 86400000 as day,
        count(*) as quantity, count(*) filter (where s.closed_at is not null) as late
      from part p
        join billing_segments s on s.tenant_id = ${tenantId} and s.environment = ${environment}
          and p.created_at >= s.counts_from and p.created_at < s.counts_until
      where p.seq <= (select seq from reach)
      group by 1, 2, 3
    ),
    added as (
      insert into billing_usage as u (segment_id, meter, day, quantity, late)
      select segment_id, meter, day, quantity, late from counted
      on conflict (segment_id, meter, day) do update set
        quantity = u.quantity + excluded.quantity, late = u.late + excluded.late
    )
    update billing_cursors c set
      seq = (select seq from reach),
      counted_until = greatest(c.counted_until, (
        select max(created_at) from part where part.seq <= (select seq from reach)
      ))
    where tenant_id = ${tenantId} and environment = ${environment} and seq = ${from}
    returning seq`
  assert(moved.length === 1, 'a locked cursor does not move')
  return (moved[0]?.seq ?? from) - from
}

/** Locks the cursor; null while another transaction has it. */
async function lockStretch(sql: TxSql, owner: Owner): Promise<Stretch | null> {
  const { tenantId, environment } = owner
  let seq = await tryLock(sql, owner)
  if (seq === null) {
    await sql`
      insert into billing_cursors (tenant_id, environment) values (${tenantId}, ${environment})
      on conflict do nothing`
    seq = await tryLock(sql, owner)
  }
  if (seq === null) return null
  const [row] = await sql<Omit<Stretch, 'seq'>[]>`
    select s.event_seq as "lastSeq", (
      select rolls_at from billing_subscriptions b
      where b.tenant_id = s.tenant_id and b.environment = s.environment and b.ended_at is null
    ) as "rollsAt"
    from tenant_sequences s
    where s.tenant_id = ${tenantId} and s.environment = ${environment}`
  return row === undefined ? null : { seq, ...row }
}

async function tryLock(sql: TxSql, { tenantId, environment }: Owner): Promise<number | null> {
  const [row] = await sql<{ seq: number }[]>`
    select seq from billing_cursors
    where tenant_id = ${tenantId} and environment = ${environment} for update skip locked`
  return row?.seq ?? null
}

/**
 * True where an event whose id was made before `until`, by the installation's clock, is not counted
 * yet.
 */
export async function hasUncounted(sql: Sql, until: EpochMs): Promise<boolean> {
  const [row] = await sql`
    select from tenant_sequences s left join billing_cursors c using (tenant_id, environment)
    where s.event_seq > coalesce(c.seq, 0) and exists (
      select from events e
      where e.tenant_id = s.tenant_id and e.environment = s.environment
        and e.seq > coalesce(c.seq, 0) and e.id < id_floor('evt', ${until}::bigint)
    )
    limit 1`
  return row !== undefined
}
