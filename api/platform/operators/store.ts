// Every SQL statement about operators. Operators belong to the installation, so no statement names
// an owner.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import { type CreatedFilters, createdWithin } from '../../database/created-filter.ts'
import { type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { OperatorRow } from './view.ts'

function operatorColumns(sql: SqlTag) {
  return sql`
    id, name, last4, state, scope, created_at as "createdAt", expires_at as "expiresAt", cidrs,
    (select i.email from identities i where i.id = operators.identity_id) as email`
}

/** Lists by id, which is the order of creation. */
export async function listOperators(
  sql: SqlTag,
  query: PageQuery & CreatedFilters,
): Promise<PageRows<OperatorRow>> {
  return readPage<OperatorRow>(sql, query, {
    list: 'operators',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<OperatorRow[]>`
      select ${operatorColumns(sql)} from operators
      where ${range} ${createdWithin(sql, query)} ${ordered}`,
  })
}

/** Stores only the hash of the credential. */
export async function insertOperator(
  sql: TxSql,
  operator: Omit<OperatorRow, 'state' | 'email'> & { hash: Buffer },
): Promise<OperatorRow> {
  const { id, name, hash, last4, scope, createdAt, expiresAt, cidrs } = operator
  const [row] = await sql<OperatorRow[]>`
    insert into operators (id, name, hash, last4, scope, created_at, expires_at, cidrs)
    values (${id}, ${name}, ${hash}, ${last4}, ${scope}, ${createdAt}, ${expiresAt},
      ${[...cidrs]}::text[])
    returning ${operatorColumns(sql)}`
  assert(row !== undefined, 'an insert returns its row')
  return row
}

/** Saves the end and the addresses of an operator's credential; null for an unknown operator. */
export async function saveOperatorBounds(
  sql: TxSql,
  { id, ...change }: { id: string; expiresAt?: EpochMs; cidrs?: readonly string[] },
): Promise<OperatorRow | null> {
  const cidrs = change.cidrs === undefined ? null : [...change.cidrs]
  const [row] = await sql<OperatorRow[]>`
    update operators
    set expires_at = coalesce(${change.expiresAt ?? null}, expires_at),
        cidrs = coalesce(${cidrs}::text[], cidrs)
    where id = ${id} and state = 'active' returning ${operatorColumns(sql)}`
  return row ?? null
}

/** Returns the revoked operator, or null for an unknown id. */
export async function revokeOperatorRow(sql: TxSql, id: string): Promise<OperatorRow | null> {
  const [row] = await sql<OperatorRow[]>`
    update operators set state = 'revoked' where id = ${id} returning ${operatorColumns(sql)}`
  return row ?? null
}

/** The number of operators whose credential works, for every call: not revoked, before its end. */
export async function countOperators(sql: SqlTag, now: EpochMs): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from operators
    where state = 'active' and scope = 'all' and (expires_at is null or expires_at > ${now})`
  return row?.n ?? 0
}

/** The operator who is this person and whose credential works; null for anyone else. */
export async function findOperatorOf(
  sql: SqlTag,
  { identityId, now }: { identityId: string; now: EpochMs },
): Promise<{ id: string } | null> {
  const [row] = await sql<{ id: string }[]>`
    select id from operators
    where identity_id = ${identityId} and state = 'active'
      and (expires_at is null or expires_at > ${now})`
  return row ?? null
}

/** Whether a person works on the pages of operators, or did until a revocation. */
export async function hasLinkedOperator(sql: SqlTag): Promise<boolean> {
  const [row] = await sql`select 1 from operators where identity_id is not null limit 1`
  return row !== undefined
}

/** Ends every link: a credential names the first person again. */
export async function unlinkOperators(sql: TxSql): Promise<void> {
  await sql`update operators set identity_id = null where identity_id is not null`
}

/** Saves the person of an operator; null for an unknown operator. */
export async function linkOperatorRow(
  sql: TxSql,
  { id, identityId }: { id: string; identityId: string | null },
): Promise<OperatorRow | 'taken' | 'narrow' | null> {
  const [other] = await sql`
    select 1 from operators where identity_id = ${identityId} and id <> ${id}`
  if (other !== undefined) return 'taken'
  const [narrow] = await sql`select 1 from operators where id = ${id} and scope <> 'all'`
  if (narrow !== undefined) return 'narrow'
  const [row] = await sql<OperatorRow[]>`
    update operators set identity_id = ${identityId} where id = ${id}
    returning ${operatorColumns(sql)}`
  return row ?? null
}
