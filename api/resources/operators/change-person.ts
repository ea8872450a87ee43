// One change of a person by an operator: the tenant held, the person changed or left as they are, told to the tenant's log,
// shown as they are afterwards.
import type { OperatorPerson } from '../../../shared/schemas/person.ts'
import type { OperatorContext } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../refuse.ts'
import { lockTenant } from '../tenants/index.ts'
import { findPerson, operatorPersonView, type PersonRow } from '../users/index.ts'
import { tellTenant, wholeTenant } from './audit.ts'

/**
 * `change` returns the person as it left them, the same row where there was nothing to change. Refuses with 404 where there is
 * no such person.
 */
export async function changePerson(
  sql: TxSql,
  context: OperatorContext,
  personId: string,
  change: (person: PersonRow) => Promise<PersonRow>,
): Promise<OperatorPerson> {
  const tenantId = (await findPerson(sql, personId))?.tenantId
  if (tenantId === undefined) throw new Refusal('resource_missing')
  // Two operators at once, and one who makes a person meanwhile, come one after the other.
  await lockTenant(sql, tenantId)
  const person = await findPerson(sql, personId)
  if (person === null) throw new Refusal('resource_missing')
  const changed = await change(person)
  if (changed !== person) await tellTenant(sql, context, wholeTenant(tenantId), personId)
  return operatorPersonView(changed)
}
