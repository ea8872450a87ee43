// Every SQL statement about payment methods. Those of a tenant name the owner.
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { Owner } from '../../context.ts'
import type { Fragment } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { MethodRow } from './view.ts'

/** Chosen: the newest of a list. */
const LIST_MAX = 100

function methodColumns(sql: SqlTag): Fragment {
  return sql`
    id, tenant_id as "tenantId", environment, processor_id as "processorId", status,
    is_default as "isDefault", brand, last4, exp_month as "expMonth", exp_year as "expYear",
    created_at as "createdAt"`
}

export async function findMethod(sql: SqlTag, owner: Owner, id: string): Promise<MethodRow | null> {
  const [row] = await sql<MethodRow[]>`
    select ${methodColumns(sql)} from billing_payment_methods
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}`
  return row ?? null
}

/** A method by its id at the processor. */
export async function findMethodOf(
  sql: SqlTag,
  environment: Environment,
  processorId: string,
): Promise<MethodRow | null> {
  const [row] = await sql<MethodRow[]>`
    select ${methodColumns(sql)} from billing_payment_methods
    where environment = ${environment} and processor_id = ${processorId}`
  return row ?? null
}

/** Newest first, detached ones too. */
export async function listMethods(sql: SqlTag, owner: Owner): Promise<MethodRow[]> {
  return sql<MethodRow[]>`
    select ${methodColumns(sql)} from billing_payment_methods
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
    order by id desc limit ${LIST_MAX}`
}

/** True where invoices can be charged: a default method is attached. */
export async function hasMethod(sql: SqlTag, owner: Owner): Promise<boolean> {
  const [row] = await sql`
    select from billing_payment_methods
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and status = 'attached' and is_default`
  return row !== undefined
}

/** Null where the method was seen before. */
export async function insertMethod(sql: TxSql, row: MethodRow): Promise<MethodRow | null> {
  const [made] = await sql<MethodRow[]>`
    insert into billing_payment_methods (id, tenant_id, environment, processor_id, status,
      is_default, brand, last4, exp_month, exp_year, created_at)
    values (${row.id}, ${row.tenantId}, ${row.environment}, ${row.processorId}, ${row.status},
      ${row.isDefault}, ${row.brand}, ${row.last4}, ${row.expMonth}, ${row.expYear},
      ${row.createdAt})
    on conflict (processor_id) do nothing
    returning ${methodColumns(sql)}`
  return made ?? null
}

/** Saves a known method as it was fetched. */
export async function saveMethod(sql: TxSql, row: Omit<MethodRow, 'id' | 'createdAt'>) {
  await sql`
    update billing_payment_methods set
      status = ${row.status}, is_default = ${row.isDefault}, brand = ${row.brand},
      last4 = ${row.last4}, exp_month = ${row.expMonth}, exp_year = ${row.expYear}
    where tenant_id = ${row.tenantId} and environment = ${row.environment}
      and processor_id = ${row.processorId}`
}

/** Every method of the owner that is not among these counts as removed. */
export async function detachOthers(
  sql: TxSql,
  owner: Owner,
  processorIds: readonly string[],
): Promise<void> {
  await sql`
    update billing_payment_methods set status = 'detached', is_default = false
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and status = 'attached' and processor_id <> all (${[...processorIds]})`
}
