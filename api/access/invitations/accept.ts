// Accepts an invitation: once, in time, by the invited address, and only while the inviting person
// could still give the role.
import type { EpochMs } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import type { TxSql } from '../../database/transaction.ts'
import { lockTenant, tenantStatusOf } from '../../platform/tenants/index.ts'
import { appendAudit } from '../../write/audit.ts'
import {
  findIdentity,
  findVerifiedIdentity,
  insertIdentity,
  verifyAddress,
} from '../identities/index.ts'
import { type MailWorld, writeMail } from '../mails/index.ts'
import { findPerson, insertMember, mayManage } from '../people/index.ts'
import { findByToken, lockInvitation, saveUsed } from './store.ts'
import { type InvitationRow, statusOf } from './view.ts'

/** A signed-in person; or one who gets a new identity, whose address the link proves. */
export type Accepter =
  | { identityId: string }
  | { newIdentityId: string; name: string; passwordHash: string }

/**
 * `gone`: the link opens nothing any more. `other_address`: the person proved another address.
 * `known`: the address belongs to a person, who signs in first. `member`: they belong already.
 */
export type Acceptance =
  | { outcome: 'joined'; identityId: string; tenantId: string }
  | { outcome: 'gone' | 'other_address' | 'known' | 'member' }

export interface AcceptedCall {
  tokenHash: Buffer
  by: Accepter
  requestId: string
  address: string | null
  now: EpochMs
}

export async function accept(
  sql: TxSql,
  { seal }: Pick<MailWorld, 'seal'>,
  call: AcceptedCall,
): Promise<Acceptance> {
  const { now, by } = call
  const found = await findByToken(sql, call.tokenHash)
  if (found === null) return { outcome: 'gone' }
  const { tenantId } = found
  // In the order of every change of a tenant's people.
  const tenant = await lockTenant(sql, tenantId)
  const held = await lockInvitation(sql, found)
  const isOpen = held !== null && tenant !== null && statusOf(held, now) === 'pending'
  if (!isOpen || tenantStatusOf(tenant) === 'suspended') return { outcome: 'gone' }
  // A resend meanwhile ended this token.
  if ((await findByToken(sql, call.tokenHash)) === null) return { outcome: 'gone' }
  if (!(await mayStillGive(sql, held))) return { outcome: 'gone' }
  const identity = await identityFor(sql, held, { by, now })
  if ('outcome' in identity) return identity
  const { identityId } = identity
  const made = { id: newId('user', now), tenantId, identityId, role: held.role, createdAt: now }
  const id = await insertMember(sql, made)
  if (id === null) return { outcome: 'member' }
  await saveUsed(sql, { id: held.id, now })
  await tellInviter(sql, { seal, now }, { row: held, tenant: tenant.name, person: identity.name })
  await appendAudit(sql, {
    ...{ id: newId('aud', now), tenantId, environment: 'live', createdAt: now },
    ...{ actorType: 'person', actorId: id, action: 'POST /invitations/:token' },
    ...{ resourceId: held.id, requestId: call.requestId, address: call.address },
  })
  return { outcome: 'joined', identityId, tenantId }
}

async function mayStillGive(sql: TxSql, { invitedBy, role }: InvitationRow): Promise<boolean> {
  if (invitedBy === null) return true
  const inviter = await findPerson(sql, invitedBy)
  return inviter?.state === 'active' && mayManage(inviter.role, role)
}

async function identityFor(
  sql: TxSql,
  { email }: InvitationRow,
  { by, now }: Pick<AcceptedCall, 'by' | 'now'>,
): Promise<{ identityId: string; name: string } | { outcome: 'other_address' | 'known' }> {
  if ('newIdentityId' in by) {
    const { newIdentityId: id, name, passwordHash } = by
    const proved = { id, email, verifiedAt: now, name, passwordHash, createdAt: now }
    const isNew = await insertIdentity(sql, { ...proved, totpSealed: null, recoveryHashes: [] })
    return isNew ? { identityId: id, name } : { outcome: 'known' }
  }
  const identity = await findIdentity(sql, by.identityId)
  if (identity?.email !== email) return { outcome: 'other_address' }
  const holder = await findVerifiedIdentity(sql, email)
  if (holder !== null && holder.id !== identity.id) return { outcome: 'known' }
  if (identity.verifiedAt === null) await verifyAddress(sql, { id: identity.id, now })
  return { identityId: identity.id, name: identity.name }
}

async function tellInviter(
  sql: TxSql,
  world: MailWorld,
  joined: { row: InvitationRow; tenant: string; person: string },
): Promise<void> {
  const { row, tenant, person } = joined
  const inviter = row.invitedBy === null ? null : await findPerson(sql, row.invitedBy)
  if (inviter === null) return
  const fields = { name: inviter.name, tenant, person, role: row.role }
  await writeMail(sql, world, { to: inviter.email, template: 'joined', fields })
}
