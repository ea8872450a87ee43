// Sign-up: identity, tenant, owner and sandbox program in one transaction. The address binds nobody
// until it is proved, so the answer is the same for a known address.

import type { EpochMs } from '../../../shared/clock.ts'
import { isCountry } from '../../../shared/countries.ts'
import { API_VERSION } from '../../../shared/event-catalog.ts'
import { newId } from '../../../shared/id.ts'
import type { Wait } from '../../database/database-watchdog.ts'
import { tx } from '../../database/transaction.ts'
import { insertTenant } from '../../platform/tenants/index.ts'
import { insertIdentity, passwordHash } from '../identities/index.ts'
import { auditPerson, insertMember } from '../people/index.ts'
import { type ProofWorld, sendVerification } from '../proofs/index.ts'
import { openSession } from '../sessions/index.ts'
import type { PageServices } from './ports.ts'

export interface SignUp {
  /** Id of the new identity, from the form. */
  identityId: string
  email: string
  name: string
  company: string
  country: string
  password: string
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
  const { identityId, email, name, company, country, now } = input
  const hashed = await passwordHash(input.password)
  return tx(
    sql,
    async (inner) => {
      const isNew = await insertIdentity(inner, {
        id: identityId,
        email,
        verifiedAt: null,
        name,
        passwordHash: hashed,
        totpSealed: null,
        recoveryHashes: [],
        createdAt: now,
      })
      if (!isNew) return null
      const tenantId = newId('ten', now)
      const tenant = { name: company, legalName: company, country, apiVersion: API_VERSION }
      await insertTenant(inner, { ...tenant, id: tenantId, createdAt: now })
      const member = { id: newId('user', now), tenantId, identityId }
      await insertMember(inner, { ...member, role: 'owner', createdAt: now })
      await insertFirstProgram(inner, { id: newId('prog', now), tenantId, now })
      await sendVerification(inner, input.proofs, { id: identityId, email, name })
      const token = await openSession(inner, { ...input, factor: 'password' })
      await auditPerson(inner, { ...input, action: 'POST /sign-up', resourceId: tenantId })
      return token
    },
    input,
  )
}
