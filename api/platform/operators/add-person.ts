// Adds a person to a tenant: the person approves calls that keys alone may not make, above all the
// creation of keys.
import { randomSecret } from '../../../shared/id.ts'
import type { NewPerson } from '../../../shared/schemas/person.ts'
import { insertUser, operatorPersonView, passwordHash } from '../../access/people/index.ts'
import type { OperatorContext } from '../../context.ts'
import { write } from '../../write/write.ts'
import { requireTenantFor } from '../tenants/index.ts'
import { tellTenant, wholeTenant } from './audit.ts'
import { newFactor } from './new-factor.ts'
import { addressTaken } from './update-person.ts'

const PASSWORD_BYTES = 18

/**
 * Only this answer ever shows the password, secret and recovery codes. An address that the tenant
 * already has is 409: a person is never created twice.
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
    const id = context.newId('user')
    const person = { id, tenantId, email, name, role }
    const sealed = { passwordHash: hashed, ...kept, now: context.now }
    if (!(await insertUser(sql, { ...person, ...sealed }))) throw addressTaken()
    await tellTenant(sql, context, wholeTenant(tenantId), id)
    const row = { ...person, state: 'active', createdAt: context.now } as const
    return { ...operatorPersonView(row), password, ...shown }
  })
}
