// Changes of a membership by an owner or admin of the tenant, in the caller's transaction. Nobody
// changes a person above their own role, or gives a role above it, and one owner always stays.
import type { EpochMs } from '../../../shared/clock.ts'
import type { PersonRole } from '../../../shared/schemas/person.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { lockTenant } from '../../platform/tenants/index.ts'
import { requireState } from '../../write/move.ts'
import { type MailWorld, type SecurityChange, tellPerson } from '../mails/index.ts'
import {
  findPerson,
  hasOtherOwner,
  mayManage,
  PERSON_MOVES,
  type PersonRow,
  removeMember,
  saveMember,
} from '../people/index.ts'

export interface MemberChange {
  tenantId: string
  /** The person who approves the change. */
  byId: string
  personId: string
  /** Address of the caller, for the mail to the person. */
  address: string | null
}

/** The change of one person: the new row, or the same row for no change. */
type Change = (person: PersonRow, by: PersonRow) => Promise<PersonRow> | PersonRow

/**
 * Locks the tenant and makes the change. Refuses with 404 for an unknown person and with 403
 * `role_not_allowed` for a person above the role of the approving one.
 */
async function changeMember(
  sql: TxSql,
  world: MailWorld,
  { tenantId, byId, personId, address }: MemberChange,
  { notice, change }: { notice: SecurityChange; change: Change },
): Promise<PersonRow> {
  const { by, person } = await lockManaged(sql, { tenantId, byId, personId })
  const changed = await change(person, by)
  if (changed === person) return person
  await tellPerson(sql, world, { ...person, change: notice, address })
  return changed
}

/**
 * Locks the tenant and returns both people. Two owners who remove each other come one after the
 * other: the second finds that they belong to the tenant no more.
 */
export async function lockManaged(
  sql: TxSql,
  { tenantId, byId, personId }: Omit<MemberChange, 'address'>,
): Promise<{ by: PersonRow; person: PersonRow }> {
  await lockTenant(sql, tenantId)
  const [by, person] = [await findPerson(sql, byId), await findPerson(sql, personId)]
  if (person?.tenantId !== tenantId) throw new Refusal('resource_missing')
  const isMember = by?.tenantId === tenantId && by.state === 'active'
  if (!isMember || !mayManage(by.role, person.role)) throw new Refusal('role_not_allowed')
  return { by, person }
}

/** Refuses with 409 `last_owner` for the only owner who is active. */
async function requireOtherOwner(sql: TxSql, person: PersonRow): Promise<void> {
  const isOwner = person.role === 'owner' && person.state === 'active'
  if (isOwner && !(await hasOtherOwner(sql, person))) throw new Refusal('last_owner')
}

export function changeMemberRole(
  sql: TxSql,
  world: MailWorld,
  call: MemberChange & { role: PersonRole },
): Promise<PersonRow> {
  const { role } = call
  return changeMember(sql, world, call, {
    notice: 'role',
    async change(person, by) {
      if (!mayManage(by.role, role)) throw new Refusal('role_not_allowed')
      if (person.role === role) return person
      await requireOtherOwner(sql, person)
      const changed = { ...person, role }
      await saveMember(sql, changed)
      return changed
    },
  })
}

/** Disabling a disabled person changes nothing. */
export function disableMember(
  sql: TxSql,
  world: MailWorld,
  call: MemberChange,
): Promise<PersonRow> {
  return moveMember(sql, world, call, 'disable')
}

/** Enabling an active person changes nothing. */
export function enableMember(sql: TxSql, world: MailWorld, call: MemberChange): Promise<PersonRow> {
  return moveMember(sql, world, call, 'enable')
}

function moveMember(
  sql: TxSql,
  world: MailWorld,
  call: MemberChange,
  move: 'disable' | 'enable',
): Promise<PersonRow> {
  const { from, to } = PERSON_MOVES[move]
  return changeMember(sql, world, call, {
    notice: to === 'disabled' ? 'disabled' : 'enabled',
    async change(person) {
      if (person.state === to) return person
      requireState(person.state, from)
      if (to === 'disabled') await requireOtherOwner(sql, person)
      const changed = { ...person, state: to }
      await saveMember(sql, changed)
      return changed
    },
  })
}

/** The person belongs to the tenant no more, and may be invited again. */
export function removeFromTenant(
  sql: TxSql,
  world: MailWorld & { now: EpochMs },
  call: MemberChange,
): Promise<PersonRow> {
  return changeMember(sql, world, call, {
    notice: 'removed',
    async change(person) {
      await requireOtherOwner(sql, person)
      await removeMember(sql, { id: person.id, now: world.now })
      return { ...person, state: 'disabled' }
    },
  })
}
