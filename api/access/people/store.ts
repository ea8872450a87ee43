// Every SQL statement about the people of a tenant: each is the membership of an identity, in
// sandbox and live alike. A change of a person locks the tenant, so no other person of the tenant
// changes meanwhile.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { Person } from '../../../shared/schemas/person.ts'
import { type CreatedFilters, createdWithin } from '../../database/created-filter.ts'
import { type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import {
  findVerifiedIdentity,
  insertIdentity,
  type NewIdentity,
  saveProfile,
} from '../identities/index.ts'
import type { PersonRow } from './view.ts'

export interface PersonFilters extends CreatedFilters {
  status?: Person['status']
  role?: Person['role']
}

function personColumns(sql: SqlTag) {
  return sql`
    u.id, u.tenant_id as "tenantId", u.identity_id as "identityId", i.email, i.name, u.role, u.state,
    u.created_at as "createdAt"`
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
      select * from (
        select ${personColumns(sql)}, u.created_at from users u join identities i on i.id = u.identity_id
        where u.tenant_id = ${tenantId} and u.removed_at is null
      ) people
      where ${range}
        ${createdWithin(sql, query)}
        ${status === undefined ? sql`` : sql`and state = ${status}`}
        ${role === undefined ? sql`` : sql`and role = ${role}`}
      ${ordered}`,
  })
}

/** Finds a person of any tenant by its id; null also for one who left. */
export async function findPerson(sql: SqlTag, id: string): Promise<PersonRow | null> {
  const [row] = await sql<PersonRow[]>`
    select ${personColumns(sql)} from users u join identities i on i.id = u.identity_id
    where u.id = ${id} and u.removed_at is null`
  return row ?? null
}

/** Finds the active membership of an identity in a tenant. */
export async function findMember(
  sql: SqlTag,
  { tenantId, identityId }: { tenantId: string; identityId: string },
): Promise<PersonRow | null> {
  const [row] = await sql<PersonRow[]>`
    select ${personColumns(sql)} from users u join identities i on i.id = u.identity_id
    where u.tenant_id = ${tenantId} and u.identity_id = ${identityId} and u.state = 'active'`
  return row ?? null
}

/**
 * Locks a member against changes until the transaction ends. Returns the role, which a change may
 * have lowered since the member was found; null for a disabled member.
 */
export async function lockActiveMember(sql: TxSql, id: string): Promise<PersonRow['role'] | null> {
  const [row] = await sql<Pick<PersonRow, 'role'>[]>`
    select role from users where id = ${id} and state = 'active' for share`
  return row?.role ?? null
}

/** Returns whether another identity proved this address. */
export async function isAddressTaken(sql: TxSql, person: PersonRow): Promise<boolean> {
  const holder = await findVerifiedIdentity(sql, person.email)
  return holder !== null && holder.id !== person.identityId
}

/** Returns whether the tenant has another active owner beside this person. */
export async function hasOtherOwner(
  sql: TxSql,
  { tenantId, id }: Pick<PersonRow, 'tenantId' | 'id'>,
): Promise<boolean> {
  const [row] = await sql`
    select 1 from users u join identities i on i.id = u.identity_id
    where u.tenant_id = ${tenantId} and u.role = 'owner' and u.state = 'active' and i.state = 'active'
      and u.id <> ${id} limit 1`
  return row !== undefined
}

/** The active owners of a tenant, with the addresses they proved. */
export async function listOwners(
  sql: SqlTag,
  tenantId: string,
): Promise<Pick<PersonRow, 'id' | 'email' | 'name'>[]> {
  return sql<Pick<PersonRow, 'id' | 'email' | 'name'>[]>`
    select u.id, i.email, i.name from users u join identities i on i.id = u.identity_id
    where u.tenant_id = ${tenantId} and u.role = 'owner' and u.state = 'active'
      and i.state = 'active' and i.verified_at is not null
    order by u.id`
}

/** Saves the given address, name, role and state. */
export async function savePerson(sql: TxSql, person: PersonRow): Promise<PersonRow> {
  const { id, role, state } = person
  await saveProfile(sql, { ...person, id: person.identityId })
  await sql`update users set role = ${role}, state = ${state} where id = ${id}`
  const saved = await findPerson(sql, id)
  assert(saved !== null, 'a person who was found is there')
  return saved
}

/** Saves the role and state of a membership. */
export async function saveMember(
  sql: TxSql,
  { id, role, state }: Pick<PersonRow, 'id' | 'role' | 'state'>,
): Promise<void> {
  await sql`update users set role = ${role}, state = ${state} where id = ${id}`
}

/** Ends a membership: the row stays for the log. */
export async function removeMember(
  sql: TxSql,
  { id, now }: { id: string; now: EpochMs },
): Promise<void> {
  await sql`update users set state = 'disabled', removed_at = ${now} where id = ${id}`
}

export type Membership = Pick<PersonRow, 'id' | 'tenantId' | 'role' | 'state'>

/** The memberships of an identity that were not removed. */
export async function listMemberships(sql: TxSql, identityId: string): Promise<Membership[]> {
  return sql<Membership[]>`
    select id, tenant_id as "tenantId", role, state from users
    where identity_id = ${identityId} and removed_at is null order by id`
}

/**
 * Makes an identity a member of a tenant and returns the id of the membership, which is the earlier
 * one for a person who left. Null if the identity is a member already.
 */
export async function insertMember(
  sql: TxSql,
  member: Pick<PersonRow, 'id' | 'tenantId' | 'identityId' | 'role' | 'createdAt'>,
): Promise<string | null> {
  const { id, tenantId, identityId, role, createdAt } = member
  const [row] = await sql<{ id: string }[]>`
    insert into users as kept (id, tenant_id, identity_id, role, created_at)
    values (${id}, ${tenantId}, ${identityId}, ${role}, ${createdAt})
    on conflict (tenant_id, identity_id) do update
      set role = excluded.role, state = 'active', removed_at = null
      where kept.removed_at is not null
    returning id`
  return row?.id ?? null
}

export interface NewPersonRow extends Omit<NewIdentity, 'id'> {
  id: string
  tenantId: string
  /** Id of a new identity. */
  identityId: string
  role: PersonRow['role']
}

/**
 * Adds a person and returns the id. A person who proved the address before joins as they are:
 * nothing of the new identity is kept then. Returns null if the tenant has the person already.
 */
export async function insertPerson(
  sql: TxSql,
  person: NewPersonRow,
): Promise<{ id: string; outcome: 'added' | 'joined' } | null> {
  const { identityId } = person
  const isNew = await insertIdentity(sql, { ...person, id: identityId })
  const holder = isNew ? null : await findVerifiedIdentity(sql, person.email)
  const member = { ...person, identityId: holder?.id ?? identityId }
  const id = await insertMember(sql, member)
  return id === null ? null : { id, outcome: isNew ? 'added' : 'joined' }
}
