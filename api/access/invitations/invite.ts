// Invites a person, in the caller's transaction: the invitation and its mail are written together.
// The token stands in the link alone; the database keeps its hash.
import { hash } from 'node:crypto'
import type { EpochMs } from '../../../shared/clock.ts'
import { randomSecret } from '../../../shared/id.ts'
import type { SentInvitation } from '../../../shared/schemas/invitation.ts'
import type { PersonRole } from '../../../shared/schemas/person.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { lockTenant, tenantStatusOf } from '../../platform/tenants/index.ts'
import { requireState } from '../../write/move.ts'
import { findIdentity } from '../identities/index.ts'
import { LIFETIMES, writeMail } from '../mails/index.ts'
import { findPerson, mayManage } from '../people/index.ts'
import {
  insertInvitation,
  isMemberAddress,
  lockInvitation,
  saveToken,
  saveWithdrawn,
} from './store.ts'
import { type InvitationRow, invitationView, statusOf } from './view.ts'

const TOKEN_BYTES = 32
const PATH = '/invitations/'

export interface InviteWorld {
  seal: (context: string, plaintext: string) => string
  newId(prefix: string): string
  /** Installation time. */
  now: EpochMs
  /** Base URL of the pages that people open, without a slash at its end. */
  pagesUrl: string
  /** False: no mail is sent, and the answer shows the link. */
  sendsMail: boolean
}

interface Inviter {
  tenantId: string
  /** Id of the inviting person; null: an operator, who may give every role. */
  inviterId: string | null
}

/** The stored form of a token: a bare hash is enough for 256 random bits. */
export function tokenHash(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

/**
 * Refuses with 403 a role above the inviter's and an inviter without a confirmed address, with 409
 * an address that belongs to the tenant or has an open invitation.
 */
export async function invite(
  sql: TxSql,
  world: InviteWorld,
  input: Inviter & { email: string; role: PersonRole },
): Promise<SentInvitation> {
  const { tenantId, role } = input
  const email = input.email.toLowerCase()
  const tenantName = await lockActiveTenant(sql, tenantId)
  const { id: invitedBy, name: inviterName } = await requireInviter(sql, input, role)
  if (await isMemberAddress(sql, { tenantId, email })) {
    const message = 'This address belongs to a person of the tenant.'
    throw new Refusal('already_exists', { param: 'email', message })
  }
  const { now } = world
  const token = randomSecret(TOKEN_BYTES)
  const row = await insertInvitation(sql, {
    ...{ id: world.newId('ivt'), tenantId, email, role, invitedBy },
    tokenHash: tokenHash(token),
    createdAt: now,
    endsAt: now + LIFETIMES.invitation,
  })
  if (row === null) {
    const message = 'This address has an open invitation: send it again, or revoke it.'
    throw new Refusal('already_exists', { param: 'email', message })
  }
  return mailed(sql, world, { row, token, tenantName, inviterName })
}

/** Sends an open or expired invitation again, with another link: the earlier one ends. */
export async function resend(
  sql: TxSql,
  world: InviteWorld,
  input: Inviter & { id: string },
): Promise<SentInvitation> {
  const tenantName = await lockActiveTenant(sql, input.tenantId)
  const held = await lockInvitation(sql, input)
  if (held === null) throw new Refusal('resource_missing')
  const { id: invitedBy, name: inviterName } = await requireInviter(sql, input, held.role)
  requireState(statusOf(held, world.now), ['pending', 'expired'])
  const token = randomSecret(TOKEN_BYTES)
  const endsAt = world.now + LIFETIMES.invitation
  const row = await saveToken(sql, { id: held.id, tokenHash: tokenHash(token), invitedBy, endsAt })
  return mailed(sql, world, { row, token, tenantName, inviterName })
}

/** Revokes an open invitation: its link ends. Revoking it again changes nothing. */
export async function revoke(
  sql: TxSql,
  input: Inviter & { id: string; now: EpochMs },
): Promise<InvitationRow> {
  await lockActiveTenant(sql, input.tenantId)
  const held = await lockInvitation(sql, input)
  if (held === null) throw new Refusal('resource_missing')
  await requireInviter(sql, input, held.role)
  if (held.withdrawnAt !== null) return held
  requireState(statusOf(held, input.now), ['pending', 'expired'])
  return saveWithdrawn(sql, { id: held.id, now: input.now })
}

/** One change of the people of a tenant at a time. Returns the tenant's name. */
async function lockActiveTenant(sql: TxSql, tenantId: string): Promise<string> {
  const tenant = await lockTenant(sql, tenantId)
  if (tenant === null) throw new Refusal('resource_missing')
  if (tenantStatusOf(tenant) === 'suspended') throw new Refusal('account_suspended')
  return tenant.name
}

async function requireInviter(
  sql: TxSql,
  { tenantId, inviterId }: Inviter,
  role: PersonRole,
): Promise<{ id: string | null; name: string | null }> {
  if (inviterId === null) return { id: null, name: null }
  const inviter = await findPerson(sql, inviterId)
  if (inviter?.tenantId !== tenantId || inviter.state !== 'active')
    throw new Refusal('role_not_allowed')
  if (!mayManage(inviter.role, role)) throw new Refusal('role_not_allowed', { param: 'role' })
  const identity = await findIdentity(sql, inviter.identityId)
  if (identity?.verifiedAt === null) throw new Refusal('address_not_verified')
  return { id: inviter.id, name: inviter.name }
}

async function mailed(
  sql: TxSql,
  { seal, now, pagesUrl, sendsMail }: InviteWorld,
  sent: { row: InvitationRow; token: string; tenantName: string; inviterName: string | null },
): Promise<SentInvitation> {
  const { row, token, tenantName: tenant, inviterName: inviter } = sent
  const { email: to, role, endsAt } = row
  const link = pagesUrl + PATH + token
  const view = invitationView(row, now)
  if (!sendsMail) return { ...view, url: link }
  const fields = { link, tenant, role, inviter, endsAt }
  await writeMail(sql, { seal, now }, { to, template: 'invitation', fields })
  return { ...view, url: null }
}
