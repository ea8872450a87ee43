// Gives a tenant a person: whoever approves what its keys alone may not do, the making of keys before all.
import { assert } from '../../../shared/assert.ts'
import { unixSeconds } from '../../../shared/clock.ts'
import { randomSecret } from '../../../shared/id.ts'
import { SEAL_CONTEXTS } from '../../../shared/keyring.ts'
import type { NewPerson } from '../../../shared/schemas/person.ts'
import type { OperatorContext } from '../../context.ts'
import { Refusal } from '../../refuse.ts'
import { write } from '../../write.ts'
import { requireTenantFor } from '../tenants/index.ts'
import {
  insertUser,
  newRecoveryCodes,
  newTotpSecret,
  passwordHash,
  recoveryHash,
} from '../users/index.ts'
import { tellTenant, wholeTenant } from './audit.ts'

const PASSWORD_BYTES = 18

/**
 * The answer is the only place where password, secret and recovery codes are ever shown. An address that the tenant has already
 * is 409. Chosen: what was lost is made anew with another address; nobody is made twice.
 */
export async function addPerson(
  context: OperatorContext,
  input: { tenantId: string; email: string; name: string; role: NewPerson['role'] },
): Promise<NewPerson> {
  const { tenantId, name, role } = input
  const email = input.email.toLowerCase()
  const password = randomSecret(PASSWORD_BYTES)
  const hashed = await passwordHash(password)
  const totpSecret = newTotpSecret()
  const recoveryCodes = newRecoveryCodes()
  return write(context, async (sql) => {
    await requireTenantFor(sql, tenantId, 'sandbox')
    const id = context.newId('user')
    const made = await insertUser(sql, {
      id,
      tenantId,
      email,
      name,
      role,
      passwordHash: hashed,
      totpSealed: context.seal(SEAL_CONTEXTS.totpSecret, totpSecret),
      recoveryHashes: recoveryCodes.map(hashOf),
      now: context.now,
    })
    if (!made) throw new Refusal('already_exists', { param: 'email' })
    await tellTenant(sql, context, wholeTenant(tenantId), id)
    return {
      id,
      object: 'person' as const,
      created: unixSeconds(context.now),
      tenant_id: tenantId,
      email,
      name,
      role,
      password,
      totp_secret: totpSecret,
      recovery_codes: recoveryCodes,
    }
  })
}

function hashOf(code: string): Buffer {
  const hash = recoveryHash(code)
  assert(hash !== null, 'a recovery code of ours has its form')
  return hash
}
