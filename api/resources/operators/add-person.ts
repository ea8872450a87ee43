// Gives a tenant a person: whoever approves what its keys alone may not do, the making of keys before all.
import { randomSecret } from '../../../shared/id.ts'
import type { NewPerson } from '../../../shared/schemas/person.ts'
import type { OperatorContext } from '../../context.ts'
import { write } from '../../write.ts'
import { requireTenantFor } from '../tenants/index.ts'
import { insertUser, operatorPersonView, passwordHash } from '../users/index.ts'
import { tellTenant, wholeTenant } from './audit.ts'
import { newFactor } from './new-factor.ts'
import { addressTaken } from './update-person.ts'

const PASSWORD_BYTES = 18

/**
 * The answer is the only place where password, secret and recovery codes are ever shown. An address that the tenant has already
 * is 409: nobody is made twice.
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
