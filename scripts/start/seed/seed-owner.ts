// The person of the sandbox who approves calls that a key alone may not make.
import {
  newRecoveryCodes,
  newTotpSecret,
  passwordHash,
  recoveryHash,
} from '../../../api/access/identities/index.ts'
import { insertPerson } from '../../../api/access/people/index.ts'
import type { TxSql } from '../../../api/database/transaction.ts'
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import { newId, randomSecret } from '../../../shared/id.ts'
import { type MasterKeys, SEAL_CONTEXTS, seal } from '../../../shared/keyring.ts'
import type { SandboxOwner, SandboxSecrets } from '../sandbox-secrets.ts'

const PASSWORD_BYTES = 18

export function newOwner(now: EpochMs): SandboxOwner {
  return {
    id: newId('user', now),
    email: 'owner@sandbox.example',
    password: randomSecret(PASSWORD_BYTES),
    totp_secret: newTotpSecret(),
    recovery_codes: newRecoveryCodes(),
  }
}

/** Puts them in where they are missing. */
export async function seedOwner({
  sql,
  masterKeys,
  secrets,
  now,
}: {
  sql: TxSql
  masterKeys: MasterKeys
  secrets: SandboxSecrets
  now: EpochMs
}): Promise<void> {
  const { owner, tenant_id: tenantId } = secrets
  if (owner === undefined) return
  // A password takes a while to hash, so an existing person is not made again.
  const there = await sql`select 1 from users where id = ${owner.id}`
  if (there.length > 0) return
  await insertPerson(sql, {
    id: owner.id,
    tenantId,
    identityId: newId('idn', now),
    email: owner.email,
    name: 'Sandbox owner',
    role: 'owner',
    passwordHash: await passwordHash(owner.password),
    totpSealed: seal(masterKeys, SEAL_CONTEXTS.totpSecret, owner.totp_secret),
    recoveryHashes: owner.recovery_codes.map(hashOf),
    verifiedAt: now,
    createdAt: now,
  })
}

function hashOf(code: string): Buffer {
  const hash = recoveryHash(code)
  assert(hash !== null, 'a recovery code of ours has its form')
  return hash
}
