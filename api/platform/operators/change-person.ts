// One change of a person by an operator: the function locks the tenant, changes the person or
// leaves the row as it is, writes the tenant's log, and returns the person.
import type { OperatorPerson } from '../../../shared/schemas/person.ts'
import { type SecurityChange, tellPerson } from '../../access/mails/index.ts'
import { findPerson, operatorPersonView, type PersonRow } from '../../access/people/index.ts'
import type { OperatorContext } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { auditOperator, wholeTenant } from '../../write/audit.ts'
import { lockTenant } from '../tenants/index.ts'

/**
 * `change` returns the changed person, or the same row for no change. A mail tells the person, at
 * the address of before too. Refuses with 404 if the person does not exist.
 */
export async function changePerson(
  sql: TxSql,
  context: OperatorContext,
  { personId, notice }: { personId: string; notice: SecurityChange },
  change: (person: PersonRow) => Promise<PersonRow>,
): Promise<OperatorPerson> {
  const tenantId = (await findPerson(sql, personId))?.tenantId
  if (tenantId === undefined) throw new Refusal('resource_missing')
  // The lock serializes two operators, and an operator who adds a person meanwhile.
  await lockTenant(sql, tenantId)
  const person = await findPerson(sql, personId)
  if (person === null) throw new Refusal('resource_missing')
  const changed = await change(person)
  if (changed !== person) {
    for (const email of new Set([person.email, changed.email])) {
      const told = { email, name: changed.name, change: notice, address: null }
      await tellPerson(sql, context, told)
    }
    await auditOperator(sql, context, wholeTenant(tenantId), personId)
  }
  return operatorPersonView(changed)
}
