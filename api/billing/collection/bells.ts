// Bells: objects of the processor that may have changed. Each event rings once; several events of
// an object are one fetch, and a ring during a fetch causes another.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { Fragment } from '../../database/page.ts'
import type { Sql } from '../../database/pool.ts'
import { type TxSql, tx } from '../../database/transaction.ts'

/** Types of events that ring; others say nothing about objects that we keep. */
export const RINGING = [
  ...['customer.updated', 'customer.deleted'],
  ...['payment_method.attached', 'payment_method.detached', 'payment_method.updated'],
  ...['payment_method.automatically_updated'],
  ...['invoice.created', 'invoice.finalized', 'invoice.paid', 'invoice.payment_failed'],
  ...['invoice.payment_action_required', 'invoice.voided', 'invoice.marked_uncollectible'],
] as const satisfies readonly string[]

export interface RungEvent {
  id: string
  type: string
  objectId: string | null
}

/** Returns false for an event that was handled before. */
export async function ring(
  sql: Sql,
  environment: Environment,
  { id, type, objectId }: RungEvent,
  now: EpochMs,
): Promise<boolean> {
  return tx(
    sql,
    async (inner) => {
      const seen = await inner`
        insert into billing_processor_events (id, environment, type, seen_at)
        values (${id}, ${environment}, ${type}, ${now})
        on conflict do nothing`
      if (seen.count === 0) return false
      if (objectId === null || !RINGING.some((ringing) => ringing === type)) return true
      await inner`
        insert into billing_bells as held (environment, object_id, due_at)
        values (${environment}, ${objectId}, ${now})
        on conflict (environment, object_id) do update set ${rungAgain(inner)}`
      return true
    },
    { safeToRepeat: true },
  )
}

/** A bell that waits keeps its place in the order; one that was answered takes a new place. */
function rungAgain(sql: TxSql): Fragment {
  return sql`
    rung = held.rung + 1,
    due_at = case when held.rung > held.answered then least(held.due_at, excluded.due_at)
      else excluded.due_at end`
}

/**
 * Chosen: the nightly fetch of every customer takes four hours. Due at once, the bells of many
 * customers would keep those of callbacks waiting.
 */
export const NIGHT_SPREAD_MS = 4 * 3_600_000

/**
 * Rings every customer of the environment, each at its moment of the next hours, and returns their
 * number: their methods are fetched.
 */
export async function ringCustomers(
  sql: Sql,
  environment: Environment,
  now: EpochMs,
): Promise<number> {
  const ringAll = (inner: TxSql) => inner`
    insert into billing_bells as held (environment, object_id, due_at)
    select environment, processor_id,
      ${now} + (hashtext(processor_id)::bigint + 2147483648) % ${NIGHT_SPREAD_MS}
    from billing_customers
    where environment = ${environment} and processor_id is not null
    on conflict (environment, object_id) do update set ${rungAgain(inner)}`
  return (await tx(sql, ringAll, { safeToRepeat: true })).count
}

export interface ClaimedBell {
  environment: Environment
  objectId: string
  /** Rings that the fetch covers. */
  rung: number
  failures: number
}

const INVOICE_PREFIX = 'in_'

export function isInvoice({ objectId }: Pick<ClaimedBell, 'objectId'>): boolean {
  return objectId.startsWith(INVOICE_PREFIX)
}

interface Claim {
  now: EpochMs
  leaseMs: number
  most: { invoices: number; others: number }
}

/** Claims due bells: until the lease ends no other process fetches them. */
export async function claimBells(sql: Sql, { now, leaseMs, most }: Claim): Promise<ClaimedBell[]> {
  return tx(
    sql,
    (inner) => inner<ClaimedBell[]>`
      with invoices as materialized (
        select environment, object_id from billing_bells
        where rung > answered and due_at <= ${now} and object_id like 'in\\_%'
          and (lease_until is null or lease_until <= ${now})
        order by due_at limit ${most.invoices} for update skip locked
      ),
      others as materialized (
        select environment, object_id from billing_bells
        where rung > answered and due_at <= ${now} and object_id not like 'in\\_%'
          and (lease_until is null or lease_until <= ${now})
        order by due_at limit ${most.others} for update skip locked
      )
      update billing_bells bell set lease_until = ${now + leaseMs}
      from (select * from invoices union all select * from others) due
      where bell.environment = due.environment and bell.object_id = due.object_id
      returning bell.environment, bell.object_id as "objectId", bell.rung, bell.failures`,
    { safeToRepeat: true },
  )
}

/** The fetch covers the claimed rings; rung meanwhile, the bell is due at once. */
export async function answerBell(sql: Sql, bell: ClaimedBell, now: EpochMs): Promise<void> {
  await tx(
    sql,
    (inner) => inner`
      update billing_bells set answered = greatest(answered, ${bell.rung}), failures = 0,
        lease_until = null, due_at = ${now}
      where environment = ${bell.environment} and object_id = ${bell.objectId}`,
    { safeToRepeat: true },
  )
}

/** The object could not be fetched and is fetched later. */
export async function putOffBell(sql: Sql, bell: ClaimedBell, dueAt: EpochMs): Promise<void> {
  await tx(
    sql,
    (inner) => inner`
      update billing_bells set failures = failures + 1, lease_until = null, due_at = ${dueAt}
      where environment = ${bell.environment} and object_id = ${bell.objectId}`,
    { safeToRepeat: true },
  )
}
