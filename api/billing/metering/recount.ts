// Recounts every night the usage of the last 35 days from the events that are kept. A difference is
// an exception for a person: counted rows are never edited.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import { decodeId } from '../../../shared/id.ts'
import type { Owner } from '../../context.ts'
import type { Sql, SqlTag } from '../../database/pool.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import type { Job, JobRun } from '../../jobs/job.ts'
import type { Meter } from '../catalogue/index.ts'
import { daySubject, noteException } from '../exceptions/index.ts'
import { COUNTED } from './count.ts'

const EVERY_MS = 60_000
const LEASE_MS = 600_000
/** Tenants of one run. */
const BATCH = 100
/** Events of one statement: a recount holds nothing for long. */
const STEP_EVENTS = 50_000
const DAY_MS = 86_400_000
const WINDOW_MS = 35 * DAY_MS

export const recountJob: Job = {
  name: 'billing_recount',
  every: EVERY_MS,
  lease: LEASE_MS,
  batch: BATCH,
  async run(run) {
    const since = run.now - DAY_MS
    let done = 0
    for (const owner of await findDue(run, since)) {
      if (run.signal.aborted || !(await claim(run, owner, since))) continue
      await recountOwner(run, owner)
      done += 1
    }
    return done
  },
}

/** Tenants with usage that was not recounted since a moment of the installation's clock. */
function findDue({ sql, batch }: JobRun, since: EpochMs): Promise<Owner[]> {
  return sql<Owner[]>`
    select tenant_id as "tenantId", environment from billing_cursors counted
    where (recounted_at is null or recounted_at <= ${since}) and exists (
      select from billing_segments part
      where part.tenant_id = counted.tenant_id and part.environment = counted.environment
    )
    order by recounted_at nulls first limit ${batch}`
}

/** True once a night for one process; false too while the cursor is locked. */
async function claim(
  { sql, now }: JobRun,
  { tenantId, environment }: Owner,
  since: EpochMs,
): Promise<boolean> {
  const take = (inner: TxSql) => inner`
    update billing_cursors set recounted_at = ${now}
    where (tenant_id, environment) in (
      select tenant_id, environment from billing_cursors
      where tenant_id = ${tenantId} and environment = ${environment}
        and (recounted_at is null or recounted_at <= ${since})
      for update skip locked
    )`
  return (await tx(sql, take, { safeToRepeat: false })).count > 0
}

interface Bounds {
  /** Numbers of the first event that is read, and of the last counted one. */
  firstSeq: number
  seq: number
  /** First day that is compared, in tenant time: every event of it is kept. */
  fromDay: EpochMs
}

/** Usage of a meter in a segment on a day. */
interface Counted {
  subscriptionId: string
  segmentId: number
  meter: Meter
  day: EpochMs
  quantity: number
}

async function recountOwner(run: JobRun, owner: Owner): Promise<void> {
  const { sql, now, signal } = run
  const bounds = await findBounds(sql, owner, now)
  if (bounds === null) return
  const counted = await countedUsage(sql, owner, bounds)
  const kept = new Map<string, Counted>()
  for (let from = bounds.firstSeq - 1; from < bounds.seq; from += STEP_EVENTS) {
    if (signal.aborted) return
    const until = Math.min(bounds.seq, from + STEP_EVENTS)
    for (const row of await keptUsage(sql, owner, { ...bounds, from, until })) {
      const quantity = row.quantity + (kept.get(keyOf(row))?.quantity ?? 0)
      kept.set(keyOf(row), { ...row, quantity })
    }
  }
  const ours = new Map(counted.map((row) => [keyOf(row), row] as const))
  for (const key of new Set([...ours.keys(), ...kept.keys()])) {
    const pair = { counted: ours.get(key), kept: kept.get(key) }
    if ((pair.counted?.quantity ?? 0) !== (pair.kept?.quantity ?? 0)) await note(run, owner, pair)
  }
}

function keyOf({ segmentId, meter, day }: Counted): string {
  return [segmentId, meter, day].join(' ')
}

/**
 * Events are dropped by the day of their id, oldest first; none of a tenant's was dropped while its
 * first one is there. An event is recorded at or after its moment by the tenant's clock, which only
 * goes ahead. Null without an event that is kept.
 */
async function findBounds(
  sql: SqlTag,
  { tenantId, environment }: Owner,
  now: EpochMs,
): Promise<Bounds | null> {
  const [row] = await sql<{ offsetMs: number; seq: number; oldestSeq: number; oldestId: string }[]>`
    select clock_offset(tenant_id, environment) as "offsetMs", counted.seq,
      oldest.seq as "oldestSeq", oldest.id as "oldestId"
    from billing_cursors counted cross join lateral (
      select seq, id from events
      where events.tenant_id = counted.tenant_id and events.environment = counted.environment
      order by seq limit 1
    ) oldest
    where tenant_id = ${tenantId} and environment = ${environment}`
  if (row === undefined) return null
  const { offsetMs, seq, oldestSeq, oldestId } = row
  const windowFrom = now + offsetMs - WINDOW_MS
  const from = oldestSeq === 1 ? windowFrom : Math.max(windowFrom, madeAt(oldestId) + offsetMs)
  return { firstSeq: oldestSeq, seq, fromDay: Math.ceil(from / DAY_MS) * DAY_MS }
}

/** The moment of an id, by the installation's clock: its first 48 bits. */
function madeAt(id: string): EpochMs {
  const bytes = decodeId(id.slice(id.indexOf('_') + 1))
  assert(bytes !== null, 'events have ids of ours')
  return bytes.readUIntBE(0, 6)
}

/** The usage as it was counted until the cursor's number: one statement, one moment. */
async function countedUsage(
  sql: Sql,
  { tenantId, environment }: Owner,
  bounds: Bounds,
): Promise<Counted[]> {
  const rows = await sql<(Counted & { seq: number })[]>`
    select counted.seq, part.subscription_id as "subscriptionId", part.id as "segmentId", held.meter,
      held.day, held.quantity
    from billing_cursors counted
      join billing_segments part using (tenant_id, environment)
      join billing_usage held on held.segment_id = part.id
    where counted.tenant_id = ${tenantId} and counted.environment = ${environment}
      and held.day >= ${bounds.fromDay}`
  bounds.seq = rows[0]?.seq ?? bounds.seq
  return rows
}

/** The usage of a stretch of the events that are kept. */
function keptUsage(
  sql: SqlTag,
  { tenantId, environment }: Owner,
  { fromDay, from, until }: Bounds & { from: number; until: number },
): Promise<Counted[]> {
  return sql<Counted[]>`
    select part.subscription_id as "subscriptionId", part.id as "segmentId", kind.meter,
      e.created_at - e.created_at % 86400000 as day, count(*) as quantity
    from events e join unnest(
        ${COUNTED.map(([type]) => type)}::text[], ${COUNTED.map(([, meter]) => meter)}::text[]
      ) as kind (type, meter) using (type)
      join billing_segments part
        on part.tenant_id = ${tenantId} and part.environment = ${environment}
        and e.created_at >= part.counts_from and e.created_at < part.counts_until
    where e.tenant_id = ${tenantId} and e.environment = ${environment}
      and e.seq > ${from} and e.seq <= ${until} and e.created_at >= ${fromDay}
    group by 1, 2, 3, 4`
}

/** A wipe in between took rows away: they differ from nothing. */
async function note(
  { sql, now }: JobRun,
  { tenantId, environment }: Owner,
  { counted, kept }: { counted: Counted | undefined; kept: Counted | undefined },
): Promise<void> {
  const named = counted ?? kept
  if (named === undefined) return
  const { subscriptionId, segmentId, meter, day } = named
  const [still] = await sql`select from billing_segments where id = ${segmentId}`
  if (still === undefined) return
  const subject = daySubject(subscriptionId, { meter, day })
  const detail = { counted: counted?.quantity ?? 0, events: kept?.quantity ?? 0 }
  const made = { tenantId, environment, kind: 'usage_differs', subject, detail, now } as const
  await noteException(sql, made)
}
