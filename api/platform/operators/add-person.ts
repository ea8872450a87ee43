// Adds a person to a tenant: the person approves calls that keys alone may not make, above all the
// creation of keys.
import { randomSecret } from '../../../shared/id.ts'
import type { NewPerson } from '../../../shared/schemas/person.ts'
import { passwordHash } from '../../access/identities/index.ts'
import { writeMail } from '../../access/mails/index.ts'
import { insertPerson, listOwners, operatorPersonView } from '../../access/people/index.ts'
import type { OperatorContext } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { auditOperator, wholeTenant } from '../../write/audit.ts'
import { write } from '../../write/write.ts'
import { findTenant, requireTenantFor } from '../tenants/index.ts'
import { newFactor } from './new-factor.ts'
import { addressTaken } from './update-person.ts'

const PASSWORD_BYTES = 18

/**
 * Chosen: a person who signs in to another tenant already joins with what they have. Otherwise only
 * this answer ever shows the password, secret and recovery codes. An address that the tenant has is
 * 409: a person is never created twice. A mail tells the owners that the tenant has already: a
 * person whom none of them invited may be another's.
 */
export async function addPerson(
  context: OperatorContext,
  input: { tenantId: string; email: string; name: string; role: NewPerson['role'] },
): Promise<NewPerson> {
  const { tenantId, name, role } = input
  const email = input.email.toLowerCase()
  const password = randomSecret(PASSWORD_BYTES)
  const hashed = await passwordHash(password)
  const { shown, kept } = newFactor(context)
  return write(context, async (sql) => {
    await requireTenantFor(sql, tenantId, 'sandbox')
    const identityId = context.newId('idn')
    const person = {
      id: context.newId('user'),
      tenantId,
      identityId,
      email,
      name,
      role,
      createdAt: context.now,
    }
    const owners = await listOwners(sql, tenantId)
    const secrets = { passwordHash: hashed, ...kept, verifiedAt: context.now }
    const added = await insertPerson(sql, { ...person, ...secrets })
    if (added === null) throw addressTaken()
    const { id, outcome } = added
    await tellOwners(sql, context, { owners, tenantId, person: name, role })
    await auditOperator(sql, context, wholeTenant(tenantId), id)
    const view = operatorPersonView({ ...person, id, state: 'active' })
    return outcome === 'added'
      ? { ...view, password, ...shown }
      : { ...view, password: null, totp_secret: null, recovery_codes: [] }
  })
}

async function tellOwners(
  sql: TxSql,
  context: OperatorContext,
  added: {
    owners: Awaited<ReturnType<typeof listOwners>>
    tenantId: string
    person: string
    role: NewPerson['role']
  },
): Promise<void> {
  const { owners, tenantId, person, role } = added
  const tenant = (await findTenant(sql, tenantId))?.name ?? ''
  for (const { email: to, name } of owners)
    await writeMail(sql, context, {
      to,
      template: 'person_added',
      fields: { name, tenant, person, role },
    })
}
