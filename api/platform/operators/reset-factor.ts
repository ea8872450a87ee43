// Gives a person a new second factor after a loss. The password stays.
import { unixSeconds } from '../../../shared/clock.ts'
import type { OperatorPerson, PersonFactor } from '../../../shared/schemas/person.ts'
import { saveFactor } from '../../access/identities/index.ts'
import { beginReset, concernedMembers } from '../../access/members/index.ts'
import { deletePasskeys } from '../../access/passkeys/index.ts'
import { findPerson, operatorPersonView, type PersonRow } from '../../access/people/index.ts'
import { endOtherSessions } from '../../access/sessions/index.ts'
import type { OperatorContext } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { pagesUrlOf } from '../../http/relying-party.ts'
import type { HttpServices } from '../../http/services.ts'
import { auditOperator, wholeTenant } from '../../write/audit.ts'
import { write } from '../../write/write.ts'
import { changePerson } from './change-person.ts'
import { keepingPerson } from './last-person.ts'
import { newFactor } from './new-factor.ts'
import { refuseOperatorPerson } from './operator-person.ts'

/** Parts of the process that a reset needs. */
export type ResetPorts = Pick<HttpServices, 'installation' | 'authUrl' | 'publicUrl'>

/**
 * Only this answer ever shows the secret and recovery codes. The earlier ones stop working, as do
 * the passkeys and sessions of the person, because a lost device may hold any of them: at once, and
 * in live, for an owner of any tenant, after a day in which every owner of those tenants may cancel
 * it. Chosen: a disabled person gets a new factor too, and stays disabled. A credential alone
 * resets no person of an operator: 403 `factor_required`; the last person of operators is never
 * reset: 409 `last_operator_person`.
 */
export async function resetFactor(
  context: OperatorContext,
  input: { personId: string },
  ports: ResetPorts,
): Promise<PersonFactor> {
  const { personId } = input
  const { shown, kept } = newFactor(context)
  return write(context, async (sql) => {
    const found = await findPerson(sql, personId)
    if (found !== null) await refuseOperatorPerson(sql, context, found.identityId)
    const concerned = found === null ? [] : await concernedMembers(sql, found)
    const isOwner = found?.role === 'owner' || concerned.length > 1
    const waits = ports.installation === 'live' && isOwner && found !== null
    const { person, worksAt } = waits
      ? await resetLater(sql, context, { person: found, concerned, kept, ports })
      : await resetAtOnce(sql, context, { personId, kept })
    return { ...person, ...shown, works_at: worksAt }
  })
}

type Kept = ReturnType<typeof newFactor>['kept']

async function resetAtOnce(
  sql: TxSql,
  context: OperatorContext,
  { personId, kept }: { personId: string; kept: Kept },
): Promise<{ person: OperatorPerson; worksAt: null }> {
  const change = { personId, notice: 'factor_reset' } as const
  const person = await changePerson(sql, context, change, async (found) => {
    const { identityId } = found
    await saveFactor(sql, { identityId, ...kept })
    await keepingPerson(sql, { now: context.now, isConfirmed: false }, () =>
      deletePasskeys(sql, identityId),
    )
    await endOtherSessions(sql, { identityId, keptId: null })
    return { ...found }
  })
  return { person, worksAt: null }
}

async function resetLater(
  sql: TxSql,
  context: OperatorContext,
  {
    person,
    concerned,
    kept,
    ports,
  }: {
    person: PersonRow
    concerned: Awaited<ReturnType<typeof concernedMembers>>
    kept: Kept
    ports: ResetPorts
  },
): Promise<{ person: OperatorPerson; worksAt: number }> {
  const { operatorId, seal, now } = context
  const world = { seal, now, pagesUrl: pagesUrlOf(ports) }
  const worksAt = await beginReset(sql, world, { person, concerned, kept, operatorId })
  for (const { id, tenantId } of concerned)
    await auditOperator(sql, context, wholeTenant(tenantId), id)
  return { person: operatorPersonView(person), worksAt: unixSeconds(worksAt) }
}
