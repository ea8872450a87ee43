// Lets a member in again who lost passkeys, authenticator and recovery codes: an owner or admin of
// the tenant approves it, and the member gets a link for 24 hours. Nothing changes before its use.
import type { EpochMs } from '../../../shared/clock.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { findTenant } from '../../platform/tenants/index.ts'
import { requireState } from '../../write/move.ts'
import { findIdentity, isOperator } from '../identities/index.ts'
import { listMemberships, type PersonRow } from '../people/index.ts'
import { type ProofWorld, sendRegain } from '../proofs/index.ts'
import { lockManaged, type MemberChange } from './change.ts'

export interface LetIn {
  person: PersonRow
  /** One-time link; null where it went by mail. */
  url: string | null
  endsAt: EpochMs
}

const OWN = 'Another owner or admin lets a person in again, never the person.'
const OPERATOR = 'This person is an operator: another operator resets the factors.'
const OTHERS = 'This person belongs to other tenants as well: ask an operator to reset the factors.'

/**
 * Refuses with 403 the person’s own call, a person of several tenants, and an operator: owners of
 * one tenant have no power over another, or over the installation.
 */
export async function letIn(
  sql: TxSql,
  world: ProofWorld & { sendsMail: boolean },
  call: Omit<MemberChange, 'address'>,
): Promise<LetIn> {
  const { by, person } = await lockManaged(sql, call)
  if (by.id === person.id) throw new Refusal('role_not_allowed', { message: OWN })
  requireState(person.state, ['active'])
  const memberships = await listMemberships(sql, person.identityId)
  if (memberships.some(({ tenantId }) => tenantId !== call.tenantId))
    throw new Refusal('role_not_allowed', { message: OTHERS })
  if (await isOperator(sql, person.identityId))
    throw new Refusal('role_not_allowed', { message: OPERATOR })
  const identity = await findIdentity(sql, person.identityId)
  requireState(identity?.state ?? 'disabled', ['active'])
  const tenant = (await findTenant(sql, call.tenantId))?.name ?? ''
  const to = { id: person.identityId, email: person.email, name: person.name }
  const { link, endsAt } = await sendRegain(sql, world, { ...to, tenant, by: by.name })
  return { person, url: world.sendsMail ? null : link, endsAt }
}
