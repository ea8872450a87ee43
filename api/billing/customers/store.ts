// Every SQL statement about customers.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { Owner } from '../../context.ts'
import type { Fragment } from '../../database/page.ts'
import type { Sql, SqlTag } from '../../database/pool.ts'
import { type TxSql, tx } from '../../database/transaction.ts'

export interface CustomerRow extends Owner {
  id: string
  processorId: string | null
  /** How often the processor's customer was replaced. */
  relinks: number
  createdAt: EpochMs
}

function customerColumns(sql: SqlTag): Fragment {
  return sql`
    id, tenant_id as "tenantId", environment, processor_id as "processorId", relinks,
    created_at as "createdAt"`
}

export async function findCustomer(sql: SqlTag, owner: Owner): Promise<CustomerRow | null> {
  const [row] = await sql<CustomerRow[]>`
    select ${customerColumns(sql)} from billing_customers
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}`
  return row ?? null
}

/** The tenant behind a customer of the processor. */
export async function findCustomerOf(
  sql: SqlTag,
  environment: Environment,
  processorId: string,
): Promise<CustomerRow | null> {
  const [row] = await sql<CustomerRow[]>`
    select ${customerColumns(sql)} from billing_customers
    where environment = ${environment} and processor_id = ${processorId}`
  return row ?? null
}

/** The row of the tenant, made where it is missing. Several callers get the same one. */
export async function insertCustomer(
  sql: Sql,
  owner: Owner,
  made: { id: string; now: EpochMs },
): Promise<CustomerRow | null> {
  return tx(
    sql,
    async (inner) => {
      await inner`
        insert into billing_customers (id, tenant_id, environment, created_at)
        values (${made.id}, ${owner.tenantId}, ${owner.environment}, ${made.now})
        on conflict (tenant_id, environment) do nothing`
      return findCustomer(inner, owner)
    },
    { safeToRepeat: true },
  )
}

export async function saveProcessorId(
  sql: Sql,
  { id }: CustomerRow,
  processorId: string,
): Promise<void> {
  const save = async (inner: SqlTag): Promise<void> => {
    await inner`
      update billing_customers set processor_id = ${processorId}
      where id = ${id} and processor_id is null`
  }
  await tx(sql, save, { safeToRepeat: true })
}

/** Another customer of the processor takes the place; false where another one did already. */
export async function replaceProcessorId(
  sql: TxSql,
  { id, processorId, relinks }: CustomerRow,
  next: string,
): Promise<boolean> {
  const replaced = await sql`
    update billing_customers set processor_id = ${next}, relinks = ${relinks + 1}
    where id = ${id} and processor_id = ${processorId} and relinks = ${relinks}`
  return replaced.count > 0
}

/**
 * Takes the lease of a customer, so that its calls come one at a time. Null while another process
 * has it. A process that was killed loses it at its end.
 */
export async function takeCustomer(
  sql: Sql,
  customer: CustomerRow,
  lease: { by: string; now: EpochMs; until: EpochMs },
): Promise<{ release(): Promise<void> } | null> {
  const taken = await tx(
    sql,
    (inner) => inner`
      update billing_customers set lease_by = ${lease.by}, lease_until = ${lease.until}
      where id = ${customer.id}
        and (lease_until is null or lease_until <= ${lease.now} or lease_by = ${lease.by})`,
    { safeToRepeat: true },
  )
  if (taken.count === 0) return null
  return {
    async release() {
      const free = (inner: SqlTag) => inner`
        update billing_customers set lease_by = null, lease_until = null
        where id = ${customer.id} and lease_by = ${lease.by}`
      await tx(sql, free, { safeToRepeat: true })
    },
  }
}
