// Uses one-time links: each once, in one transaction with its effect.
import type { EpochMs } from '../../../shared/clock.ts'
import type { TxSql } from '../../database/transaction.ts'
import {
  findVerifiedIdentity,
  isOperator,
  saveFactor,
  savePassword,
  verifyAddress,
} from '../identities/index.ts'
import { type MailWorld, tellPerson } from '../mails/index.ts'
import { deletePasskeys } from '../passkeys/index.ts'
import { auditPerson } from '../people/index.ts'
import { endOtherSessions } from '../sessions/index.ts'
import { findProof, mergeIdentity, type ProofRow, takeProof } from './store.ts'

export interface ProvedCall {
  tokenHash: Buffer
  requestId: string
  address: string | null
  now: EpochMs
}

/**
 * `known`: another identity proved the address before; its person signs in first. `joined`: the
 * tenants of this identity now belong to that person.
 */
export type Verification = 'gone' | 'verified' | 'known' | 'joined'

/** `signedInAs` is the identity of the session, if any. */
export async function useVerification(
  sql: TxSql,
  call: ProvedCall & { signedInAs: string | null },
): Promise<Verification> {
  const query = { ...call, purpose: 'verify' as const }
  const proof = await findProof(sql, query)
  if (proof === null) return 'gone'
  const holder = await findVerifiedIdentity(sql, proof.email)
  const isMerge = holder !== null && holder.id !== proof.identityId
  if (isMerge && call.signedInAs !== holder.id) return 'known'
  if (!(await takeProof(sql, query))) return 'gone'
  if (isMerge) await mergeIdentity(sql, { from: proof.identityId, into: holder.id })
  else await verifyAddress(sql, { id: proof.identityId, now: call.now })
  const identityId = isMerge ? holder.id : proof.identityId
  await auditPerson(sql, { ...call, identityId, action: 'POST /verify/:token' })
  return isMerge ? 'joined' : 'verified'
}

/**
 * Saves another password and ends every session of the person, who is told by mail. The second
 * factor stays: the mailbox alone opens nothing. Returns the person, or null for a link that ended.
 */
export async function useReset(
  sql: TxSql,
  { seal }: Pick<MailWorld, 'seal'>,
  call: ProvedCall & { passwordHash: string },
): Promise<ProofRow | null> {
  const { now, address, passwordHash } = call
  const query = { ...call, purpose: 'reset' as const }
  const proof = await findProof(sql, query)
  if (proof === null || !(await takeProof(sql, query))) return null
  const { identityId } = proof
  await savePassword(sql, { id: identityId, passwordHash })
  await endOtherSessions(sql, { identityId, keptId: null })
  await tellPerson(sql, { seal, now }, { ...proof, change: 'password', address })
  await auditPerson(sql, { ...call, identityId, action: 'POST /recover/:token' })
  return proof
}

/**
 * Lets a person in again who lost every factor: another password, and no second factor until the
 * person sets one up. Every session ends. Returns the person, or null for a link that ended.
 */
export async function useRegain(
  sql: TxSql,
  { seal }: Pick<MailWorld, 'seal'>,
  call: ProvedCall & { passwordHash: string },
): Promise<ProofRow | null> {
  const { now, address, passwordHash } = call
  const query = { ...call, purpose: 'regain' as const }
  const proof = await findProof(sql, query)
  // An owner sent the link; owners have no power over a person who became an operator meanwhile.
  if (proof === null || (await isOperator(sql, proof.identityId))) return null
  if (!(await takeProof(sql, query))) return null
  const { identityId } = proof
  await savePassword(sql, { id: identityId, passwordHash })
  await saveFactor(sql, { identityId, totpSealed: null, recoveryHashes: [] })
  await deletePasskeys(sql, identityId)
  await endOtherSessions(sql, { identityId, keptId: null })
  await tellPerson(sql, { seal, now }, { ...proof, change: 'regained', address })
  await auditPerson(sql, { ...call, identityId, action: 'POST /regain/:token' })
  return proof
}
