// Every SQL statement about the data of a tenant's people. A person belongs to a tenant, in sandbox
// and live alike. A change of a person locks the tenant, so no other person of the tenant changes
// meanwhile.
import { assert } from '../../../shared/assert.ts'
import type { Person } from '../../../shared/schemas/person.ts'
import { type CreatedFilters, createdWithin } from '../../database/created-filter.ts'
import { type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { PersonRow } from './view.ts'

export interface PersonFilters extends CreatedFilters {
  status?: Person['status']
  role?: Person['role']
}

function personColumns(sql: SqlTag) {
  return sql`id, tenant_id as "tenantId", email, name, role, state, created_at as "createdAt"`
}

/** Lists by id, which is the order of creation. */
export async function listPeople(
  sql: SqlTag,
  tenantId: string,
  query: PageQuery & PersonFilters,
): Promise<PageRows<PersonRow>> {
  const { status, role } = query
  return readPage<PersonRow>(sql, query, {
    list: 'people',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<PersonRow[]>`
      select ${personColumns(sql)} from users
      where tenant_id = ${tenantId} and ${range}
        ${createdWithin(sql, query)}
        ${status === undefined ? sql`` : sql`and state = ${status}`}
        ${role === undefined ? sql`` : sql`and role = ${role}`}
      ${ordered}`,
  })
}

/** Finds a person of any tenant: for operators, who name a person by its id. */
export async function findPerson(sql: SqlTag, id: string): Promise<PersonRow | null> {
  const [row] = await sql<PersonRow[]>`select ${personColumns(sql)} from users where id = ${id}`
  return row ?? null
}

/** Returns whether another person of the tenant signs in with this address. */
export async function isAddressTaken(sql: TxSql, person: PersonRow): Promise<boolean> {
  const [row] = await sql`
    select 1 from users
    where tenant_id = ${person.tenantId} and email = ${person.email} and id <> ${person.id}`
  return row !== undefined
}

/** Returns whether the tenant has another active owner beside this person. */
export async function hasOtherOwner(sql: TxSql, { tenantId, id }: PersonRow): Promise<boolean> {
  const [row] = await sql`
    select 1 from users
    where tenant_id = ${tenantId} and role = 'owner' and state = 'active' and id <> ${id} limit 1`
  return row !== undefined
}

/** Saves the given address, name and state. */
export async function savePerson(sql: TxSql, person: PersonRow): Promise<PersonRow> {
  const { id, email, name, state } = person
  const [row] = await sql<PersonRow[]>`
    update users set email = ${email}, name = ${name}, state = ${state} where id = ${id}
    returning ${personColumns(sql)}`
  assert(row !== undefined, 'a person who was found is there')
  return row
}

/** Saves a new secret and new recovery codes; the earlier ones stop working. */
export async function saveFactor(
  sql: TxSql,
  factor: { userId: string; totpSealed: string; recoveryHashes: readonly Buffer[] },
): Promise<void> {
  const { userId, totpSealed, recoveryHashes } = factor
  await sql`update users set totp_sealed = ${totpSealed}, totp_last_step = 0 where id = ${userId}`
  await sql`delete from recovery_codes where user_id = ${userId}`
  for (const hash of recoveryHashes)
    await sql`insert into recovery_codes (user_id, hash) values (${userId}, ${hash})`
}
