// Every SQL statement about invitations. Each names the tenant, except the one that finds an
// invitation by the hash of its token.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { InvitationStatus } from '../../../shared/schemas/invitation.ts'
import { type CreatedFilters, createdWithin } from '../../database/created-filter.ts'
import { type Fragment, type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { InvitationRow } from './view.ts'

function columns(sql: SqlTag): Fragment {
  return sql`
    id, tenant_id as "tenantId", email, role, invited_by as "invitedBy", created_at as "createdAt",
    ends_at as "endsAt", used_at as "usedAt", withdrawn_at as "withdrawnAt"`
}

export interface InvitationFilters extends CreatedFilters {
  status?: InvitationStatus
}

function inStatus(sql: SqlTag, status: InvitationStatus, now: EpochMs): Fragment {
  if (status === 'accepted') return sql`used_at is not null`
  if (status === 'revoked') return sql`used_at is null and withdrawn_at is not null`
  const isOpen = sql`used_at is null and withdrawn_at is null`
  return status === 'pending'
    ? sql`${isOpen} and ends_at > ${now}`
    : sql`${isOpen} and ends_at <= ${now}`
}

/** Lists by id, which is the order of creation. `now` is installation time. */
export async function listInvitations(
  sql: SqlTag,
  { tenantId, now }: { tenantId: string; now: EpochMs },
  query: PageQuery & InvitationFilters,
): Promise<PageRows<InvitationRow>> {
  const { status } = query
  return readPage<InvitationRow>(sql, query, {
    list: 'invitations',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<InvitationRow[]>`
      select ${columns(sql)} from invitations
      where tenant_id = ${tenantId}
        ${createdWithin(sql, query)}
        ${status === undefined ? sql`` : sql`and ${inStatus(sql, status, now)}`}
        and ${range}
      ${ordered}`,
  })
}

/** Finds an invitation of the tenant. */
export async function findInvitation(
  sql: SqlTag,
  { tenantId, id }: { tenantId: string; id: string },
): Promise<InvitationRow | null> {
  const [row] = await sql<InvitationRow[]>`
    select ${columns(sql)} from invitations where tenant_id = ${tenantId} and id = ${id}`
  return row ?? null
}

/** Locks the invitation until the transaction ends. */
export async function lockInvitation(
  sql: TxSql,
  { tenantId, id }: { tenantId: string; id: string },
): Promise<InvitationRow | null> {
  const [row] = await sql<InvitationRow[]>`
    select ${columns(sql)} from invitations where tenant_id = ${tenantId} and id = ${id} for update`
  return row ?? null
}

/** Finds an invitation by the hash of its token, with the names that its page shows. */
export async function findByToken(
  sql: SqlTag,
  tokenHash: Buffer,
): Promise<(InvitationRow & { tenantName: string; inviterName: string | null }) | null> {
  const [row] = await sql<(InvitationRow & { tenantName: string; inviterName: string | null })[]>`
    select i.id, i.tenant_id as "tenantId", i.email, i.role, i.invited_by as "invitedBy",
      i.created_at as "createdAt", i.ends_at as "endsAt", i.used_at as "usedAt",
      i.withdrawn_at as "withdrawnAt", t.name as "tenantName",
      (
        select n.name from users u join identities n on n.id = u.identity_id where u.id = i.invited_by
      ) as "inviterName"
    from invitations i join tenants t on t.id = i.tenant_id
    where i.token_hash = ${tokenHash}`
  return row ?? null
}

/**
 * Inserts an invitation; returns null if the tenant has an open one for the address. One that
 * expired makes room.
 */
export async function insertInvitation(
  sql: TxSql,
  made: Omit<InvitationRow, 'usedAt' | 'withdrawnAt'> & { tokenHash: Buffer },
): Promise<InvitationRow | null> {
  const { id, tenantId, email, role, tokenHash, invitedBy, createdAt, endsAt } = made
  await sql`
    update invitations set withdrawn_at = ${createdAt}
    where tenant_id = ${tenantId} and email = ${email} and used_at is null and withdrawn_at is null
      and ends_at <= ${createdAt}`
  const [row] = await sql<InvitationRow[]>`
    insert into invitations (id, tenant_id, email, role, token_hash, invited_by, created_at, ends_at)
    values (${id}, ${tenantId}, ${email}, ${role}, ${tokenHash}, ${invitedBy}, ${createdAt}, ${endsAt})
    on conflict do nothing returning ${columns(sql)}`
  return row ?? null
}

/** Saves another token, which ends the earlier one, and its inviter. */
export async function saveToken(
  sql: TxSql,
  change: { id: string; tokenHash: Buffer; invitedBy: string | null; endsAt: EpochMs },
): Promise<InvitationRow> {
  const { id, tokenHash, invitedBy, endsAt } = change
  const [row] = await sql<InvitationRow[]>`
    update invitations
    set token_hash = ${tokenHash}, invited_by = ${invitedBy}, ends_at = ${endsAt}
    where id = ${id} returning ${columns(sql)}`
  assert(row !== undefined, 'a locked invitation does not vanish')
  return row
}

export async function saveWithdrawn(
  sql: TxSql,
  { id, now }: { id: string; now: EpochMs },
): Promise<InvitationRow> {
  const [row] = await sql<InvitationRow[]>`
    update invitations set withdrawn_at = ${now} where id = ${id} returning ${columns(sql)}`
  assert(row !== undefined, 'a locked invitation does not vanish')
  return row
}

export async function saveUsed(
  sql: TxSql,
  { id, now }: { id: string; now: EpochMs },
): Promise<void> {
  await sql`update invitations set used_at = ${now} where id = ${id}`
}

/** Returns whether a person of the tenant, also a disabled one, proved this address. */
export async function isMemberAddress(
  sql: TxSql,
  { tenantId, email }: { tenantId: string; email: string },
): Promise<boolean> {
  const [row] = await sql`
    select 1 from users u join identities i on i.id = u.identity_id
    where u.tenant_id = ${tenantId} and u.removed_at is null and i.email = ${email}
      and i.verified_at is not null`
  return row !== undefined
}
