// Adds a person to a tenant: the person approves calls that keys alone may not make, above all the
// creation of keys.
import { randomSecret } from '../../../shared/id.ts'
import type { NewPerson } from '../../../shared/schemas/person.ts'
import { passwordHash } from '../../access/identities/index.ts'
import { insertPerson, operatorPersonView } from '../../access/people/index.ts'
import type { OperatorContext } from '../../context.ts'
import { auditOperator, wholeTenant } from '../../write/audit.ts'
import { write } from '../../write/write.ts'
import { requireTenantFor } from '../tenants/index.ts'
import { newFactor } from './new-factor.ts'
import { addressTaken } from './update-person.ts'

const PASSWORD_BYTES = 18

/**
 * Chosen: a person who signs in to another tenant already joins with what they have. Otherwise only
 * this answer ever shows the password, secret and recovery codes. An address that the tenant has is
 * 409: a person is never created twice.
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
    const secrets = { passwordHash: hashed, ...kept, verifiedAt: context.now }
    const added = await insertPerson(sql, { ...person, ...secrets })
    if (added === null) throw addressTaken()
    const { id, outcome } = added
    await auditOperator(sql, context, wholeTenant(tenantId), id)
    const view = operatorPersonView({ ...person, id, state: 'active' })
    return outcome === 'added'
      ? { ...view, password, ...shown }
      : { ...view, password: null, totp_secret: null, recovery_codes: [] }
  })
}
