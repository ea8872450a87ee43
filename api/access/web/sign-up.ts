// Sign-up: identity, tenant, owner and sandbox program in one transaction. The address binds nobody
// until it is proved, so the answer is the same for a known address.

import type { EpochMs } from '../../../shared/clock.ts'
import { isCountry } from '../../../shared/countries.ts'
import { API_VERSION } from '../../../shared/event-catalog.ts'
import { newId } from '../../../shared/id.ts'
import type { Wait } from '../../database/database-watchdog.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import { insertTenant } from '../../platform/tenants/index.ts'
import { insertIdentity, passwordHash } from '../identities/index.ts'
import { type Ceremony, insertPasskey, type NewPasskey, takeChallenge } from '../passkeys/index.ts'
import { auditPerson, insertMember } from '../people/index.ts'
import { mayMail, type ProofWorld, sendVerification } from '../proofs/index.ts'
import { openSession } from '../sessions/index.ts'
import type { PageServices } from './ports.ts'

/** The account as the form names it. */
export interface NewAccount {
  /** Id of the new identity, from the form. */
  identityId: string
  email: string
  name: string
  company: string
  country: string
}

/** A passkey that the device made for the sign-up. */
interface PasskeyProof {
  passkey: NewPasskey & { userHandle: Buffer; name: string }
  ceremony: Ceremony
  recoveryHashes: readonly Buffer[]
}

export interface SignUp {
  account: NewAccount
  /** How the person signs in from now on. */
  proof: { password: string } | PasskeyProof
  address: string | null
  agent: string
  requestId: string
  now: EpochMs
  /** The parts with which the address is confirmed by mail. */
  proofs: ProofWorld
  wait: Wait | null
}

/** Returns true for the id of a form of ours. */
export function isFormId(text: string): boolean {
  return /^idn_[0-9a-z]{26}$/.test(text)
}

/** Returns true for a country where a tenant can be. */
export function isTenantCountry(text: string): boolean {
  return isCountry(text)
}

/** Returns the token of the new session; null if the form was sent before. */
export async function signUp(
  { sql, insertFirstProgram }: Pick<PageServices, 'sql' | 'insertFirstProgram'>,
  input: SignUp,
): Promise<string | null> {
  const { account, proof, now } = input
  const { identityId, email, name, company, country } = account
  const hashed = 'password' in proof ? await passwordHash(proof.password) : null
  return tx(
    sql,
    async (inner) => {
      const isNew = await insertIdentity(inner, {
        ...{ id: identityId, email, name, verifiedAt: null, passwordHash: hashed },
        totpSealed: null,
        recoveryHashes: 'password' in proof ? [] : proof.recoveryHashes,
        createdAt: now,
      })
      if (!isNew) return null
      if ('passkey' in proof) await keepPasskey(inner, proof, { identityId, now })
      const tenantId = newId('ten', now)
      const tenant = { name: company, legalName: company, country, apiVersion: API_VERSION }
      await insertTenant(inner, { ...tenant, id: tenantId, createdAt: now })
      const member = { id: newId('user', now), tenantId, identityId }
      await insertMember(inner, { ...member, role: 'owner', createdAt: now })
      await insertFirstProgram(inner, { id: newId('prog', now), tenantId, now })
      // An address gets few links, whoever signs up with it; its person asks for another one later.
      if (await mayMail(inner, { email, purpose: 'verify' }, now))
        await sendVerification(inner, input.proofs, { id: identityId, email, name })
      const factor = 'password' in proof ? 'password' : 'passkey'
      const token = await openSession(inner, { ...input, identityId, factor })
      const row = { ...input, identityId, action: 'POST /sign-up', resourceId: tenantId }
      await auditPerson(inner, row)
      return token
    },
    input,
  )
}

async function keepPasskey(
  sql: TxSql,
  { passkey, ceremony }: PasskeyProof,
  { identityId, now }: { identityId: string; now: EpochMs },
): Promise<void> {
  const isFresh = await takeChallenge(sql, ceremony)
  const row = { ...passkey, id: newId('pky', now), identityId, createdAt: now }
  // The transaction rolls back, and the page answers that nothing was changed.
  if (!isFresh || !(await insertPasskey(sql, row))) throw new Error('the passkey is known already')
}
