// Every SQL statement about the mirror of usage. Moments are of the installation's clock: a sandbox
// whose clock was moved has no mirror.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { Owner } from '../../context.ts'
import type { Fragment } from '../../database/page.ts'
import type { Sql, SqlTag } from '../../database/pool.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import type { Meter } from '../catalogue/index.ts'

const DAY_MS = 86_400_000
/** The processor takes moments of the last 35 days; a day is told by its first one. */
const WINDOW_MS = 34 * DAY_MS

/** A customer whose usage is mirrored. */
export interface MirroredCustomer extends Owner {
  customerId: string
  processorId: string
}

export interface Telling extends MirroredCustomer {
  /** Number of the last counted event. */
  seq: number
  failures: number
}

interface Wanted {
  now: EpochMs
  most: number
  environments: readonly Environment[]
}

/** The first day that the processor still takes. */
export function firstDay(now: EpochMs): EpochMs {
  return Math.ceil((now - WINDOW_MS) / DAY_MS) * DAY_MS
}

function customerColumns(sql: SqlTag): Fragment {
  return sql`
    customer.id as "customerId", customer.tenant_id as "tenantId", customer.environment,
    customer.processor_id as "processorId"`
}

/** Customers with usage that was counted since it was told. */
export function findUntold(sql: SqlTag, { now, most, environments }: Wanted): Promise<Telling[]> {
  return sql<Telling[]>`
    select ${customerColumns(sql)}, counted.seq, coalesce(told.failures, 0) as failures
    from billing_customers customer
      join billing_cursors counted using (tenant_id, environment)
      left join billing_mirrors told on told.customer_id = customer.id
    where customer.processor_id is not null
      and customer.environment = any(${environments as string[]})
      and counted.seq > coalesce(told.seq, 0) and coalesce(told.due_at, 0) <= ${now}
      and clock_offset(customer.tenant_id, customer.environment) = 0
    order by coalesce(told.due_at, 0), customer.id limit ${most}`
}

/** True for one process until the lease ends. */
export async function claimTelling(
  sql: Sql,
  customerId: string,
  { now, until }: { now: EpochMs; until: EpochMs },
): Promise<boolean> {
  const claim = (inner: TxSql) => inner`
    insert into billing_mirrors as told (customer_id, due_at) values (${customerId}, ${until})
    on conflict (customer_id) do update set due_at = excluded.due_at where told.due_at <= ${now}`
  return (await tx(sql, claim, { safeToRepeat: false })).count > 0
}

export interface DayUsage {
  meter: Meter
  /** Start of the day, UTC. */
  day: EpochMs
  total: number
}

/** Totals of days that differ from the told ones, oldest first. */
export function untoldDays(
  sql: SqlTag,
  { customerId, tenantId, environment }: MirroredCustomer,
  from: EpochMs,
): Promise<DayUsage[]> {
  return sql<DayUsage[]>`
    select counted.meter, counted.day, counted.total from (
      select held.meter, held.day, sum(held.quantity)::bigint as total
      from billing_segments part join billing_usage held on held.segment_id = part.id
      where part.tenant_id = ${tenantId} and part.environment = ${environment}
        and part.counts_until > ${from} and held.day >= ${from}
      group by 1, 2
    ) counted
    left join billing_mirrored told
      on told.customer_id = ${customerId} and told.meter = counted.meter and told.day = counted.day
    where told.total is distinct from counted.total
    order by counted.day, counted.meter`
}

export async function saveTold(
  sql: Sql,
  customerId: string,
  { meter, day, total, now }: DayUsage & { now: EpochMs },
): Promise<void> {
  const save = (inner: TxSql) => inner`
    insert into billing_mirrored (customer_id, meter, day, total, sent_at)
    values (${customerId}, ${meter}, ${day}, ${total}, ${now})
    on conflict (customer_id, meter, day) do update set
      total = excluded.total, sent_at = excluded.sent_at`
  await tx(sql, save, { safeToRepeat: true })
}

/** Every day is told anew: the processor's customer is another one. */
export async function forgetTold(sql: TxSql, customerId: string): Promise<void> {
  await sql`delete from billing_mirrored where customer_id = ${customerId}`
  await sql`
    update billing_mirrors set seq = 0, failures = 0 where customer_id = ${customerId}`
}

/** The usage of the events until `seq` is told. */
export async function endTelling(
  sql: Sql,
  customerId: string,
  { seq, dueAt }: { seq: number; dueAt: EpochMs },
): Promise<void> {
  const save = (inner: TxSql) => inner`
    update billing_mirrors set seq = ${seq}, due_at = ${dueAt}, failures = 0
    where customer_id = ${customerId}`
  await tx(sql, save, { safeToRepeat: true })
}

export async function putOffTelling(sql: Sql, customerId: string, dueAt: EpochMs): Promise<void> {
  const save = (inner: TxSql) => inner`
    update billing_mirrors set due_at = ${dueAt}, failures = failures + 1
    where customer_id = ${customerId}`
  await tx(sql, save, { safeToRepeat: false })
}

/** Customers whose told totals were not compared since `since`. */
export function findUnchecked(
  sql: SqlTag,
  { most, environments, since }: Omit<Wanted, 'now'> & { since: EpochMs },
): Promise<MirroredCustomer[]> {
  return sql<MirroredCustomer[]>`
    select ${customerColumns(sql)}
    from billing_mirrors told join billing_customers customer on customer.id = told.customer_id
    where customer.environment = any(${environments as string[]})
      and (told.checked_at is null or told.checked_at <= ${since})
      and clock_offset(customer.tenant_id, customer.environment) = 0
    order by told.checked_at nulls first, customer.id limit ${most}`
}

/** True once a night for one process. */
export async function claimCheck(
  sql: Sql,
  customerId: string,
  { now, since }: { now: EpochMs; since: EpochMs },
): Promise<boolean> {
  const claim = (inner: TxSql) => inner`
    update billing_mirrors set checked_at = ${now}
    where customer_id = ${customerId} and (checked_at is null or checked_at <= ${since})`
  return (await tx(sql, claim, { safeToRepeat: false })).count > 0
}

export interface ToldDay extends DayUsage {
  sentAt: EpochMs
}

export function toldDays(sql: SqlTag, customerId: string, from: EpochMs): Promise<ToldDay[]> {
  return sql<ToldDay[]>`
    select meter, day, total, sent_at as "sentAt" from billing_mirrored
    where customer_id = ${customerId} and day >= ${from}
    order by meter, day`
}
