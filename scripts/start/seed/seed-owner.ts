// The person of each of the sandbox's tenants who approves what keys alone may not do.
import {
  insertUser,
  newRecoveryCodes,
  newTotpSecret,
  passwordHash,
  recoveryHash,
} from '../../../api/resources/users/index.ts'
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import { newId, randomSecret } from '../../../shared/id.ts'
import { SEAL_CONTEXTS, seal } from '../../../shared/keyring.ts'
import type { Seed } from './seed-sandbox.ts'

const PASSWORD_BYTES = 18

export interface SandboxOwner {
  id: string
  email: string
  password: string
  /** Base32, for an authenticator. */
  totp_secret: string
  recovery_codes: string[]
}

export function newOwner(now: EpochMs): SandboxOwner {
  return {
    id: newId('user', now),
    email: 'owner@sandbox.example',
    password: randomSecret(PASSWORD_BYTES),
    totp_secret: newTotpSecret(),
    recovery_codes: newRecoveryCodes(),
  }
}

/** Puts in who is missing. */
export async function seedOwners(seed: Seed): Promise<void> {
  const { secrets } = seed
  await seedOwner(seed, secrets.tenant_id, secrets.owner)
  const { unentitled } = secrets
  if (unentitled !== undefined) await seedOwner(seed, unentitled.tenant_id, unentitled.owner)
}

async function seedOwner(
  { sql, masterKeys, now }: Seed,
  tenantId: string,
  owner: SandboxOwner | undefined,
): Promise<void> {
  if (owner === undefined) return
  // A password takes a while to hash, so who is there is not made again.
  const there = await sql`select 1 from users where id = ${owner.id}`
  if (there.length > 0) return
  await insertUser(sql, {
    id: owner.id,
    tenantId,
    email: owner.email,
    name: 'Sandbox owner',
    role: 'owner',
    passwordHash: await passwordHash(owner.password),
    totpSealed: seal(masterKeys, SEAL_CONTEXTS.totpSecret, owner.totp_secret),
    recoveryHashes: owner.recovery_codes.map(hashOf),
    now,
  })
}

function hashOf(code: string): Buffer {
  const hash = recoveryHash(code)
  assert(hash !== null, 'a recovery code of ours has its form')
  return hash
}
