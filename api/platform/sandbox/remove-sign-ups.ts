// Removes sign-ups whose address was never confirmed, thirty days later: the person, the keys and
// connections of the tenant, and everything in its sandbox. The page of the account announces it.
//
// Chosen: the rows of the tenant and the person stay without anything personal, because the audit
// log names them. A tenant with another person who proved an address stays as it is, and so does a
// tenant that applied for live.
import type { EpochMs } from '../../../shared/clock.ts'
import { eraseIdentity } from '../../access/identities/index.ts'
import { revokeKeys } from '../../access/keys/index.ts'
import { endConnections } from '../../access/oauth/index.ts'
import { deletePasskeys } from '../../access/passkeys/index.ts'
import { removeMember } from '../../access/people/index.ts'
import { endOtherSessions } from '../../access/sessions/index.ts'
import type { TxSql } from '../../database/transaction.ts'
import { type Job, rowByRow } from '../../jobs/job.ts'
import { auditTimer, wholeTenant } from '../../write/audit.ts'
import { emptySandbox } from './empty.ts'
import { eraseTenantNames, lockSignUp, type SignUp } from './sign-up-store.ts'

const NAME = 'unverified_sign_up_removal'
/** The page of the account promises it. */
const KEPT_MS = 30 * 86_400_000

export const removeSignUps: Job = {
  name: NAME,
  every: 60_000,
  lease: 600_000,
  batch: 10,
  run: rowByRow(removeOne),
}

async function removeOne(sql: TxSql, now: EpochMs): Promise<boolean> {
  const signUp = await lockSignUp(sql, now - KEPT_MS)
  if (signUp === null) return false
  await closeTenant(sql, signUp, now)
  await removePerson(sql, signUp, now)
  const log = { ...wholeTenant(signUp.tenantId), clockOffsetMs: 0 }
  await auditTimer(sql, log, { timer: NAME, resourceId: signUp.identityId, now })
  return true
}

async function closeTenant(
  sql: TxSql,
  { tenantId, clockOffsetMs }: SignUp,
  now: EpochMs,
): Promise<void> {
  await emptySandbox(sql, { tenantId, environment: 'sandbox', clockOffsetMs }, now)
  await revokeKeys(sql, tenantId, now)
  await endConnections(sql, tenantId, now)
  await eraseTenantNames(sql, tenantId)
}

async function removePerson(
  sql: TxSql,
  { identityId, personId }: SignUp,
  now: EpochMs,
): Promise<void> {
  await removeMember(sql, { id: personId, now })
  await endOtherSessions(sql, { identityId, keptId: null })
  await deletePasskeys(sql, identityId)
  await eraseIdentity(sql, identityId)
}
