// Checks a person's identity: password and second factor at once, with one answer for every
// failure.
//
// Chosen: five tries in five minutes, per named account and per address. An account that does not
// exist costs the same time and the same tries.
import { hash } from 'node:crypto'
import type { EpochMs } from '../../../shared/clock.ts'
import { SEAL_CONTEXTS, type Unseal } from '../../../shared/keyring.ts'
import { addressHolder } from '../../../shared/peer-address.ts'
import type { Sql } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { Job } from '../../jobs/job.ts'
import { passwordFits, passwordHash, recoveryHash, totpStep } from './secrets.ts'
import {
  countTry,
  deleteTries,
  findIdentity,
  findIdentityByEmail,
  forgiveTry,
  type IdentityRow,
  takeRecoveryCode,
  takeStep,
} from './store.ts'

const TRIES_MAX = 5
const TRIES_MS = 5 * 60_000
/** Links by mail are counted for an hour, the longest of all limits of this table. */
const KEPT_MS = 3_600_000

/** A sign-in attempt. */
export interface SignIn {
  email: string
  /** A signed-in person, who may only claim the address; absent: the address tells. */
  identityId?: string
  password: string
  /** Six digits, or a recovery code; empty for a person without a generator. */
  code: string
  ip: string
  /** Installation time. */
  now: EpochMs
}

/** `password`: the person has no second factor yet; such a sign-in approves nothing. */
export type Factor = 'password' | 'totp' | 'recovery_code' | 'passkey'

export interface SignedIn {
  identity: IdentityRow
  factor: Factor
  /**
   * Uses up the code in the transaction of the approved action; returns false if a rival was
   * faster.
   */
  take(sql: TxSql): Promise<boolean>
}

/**
 * Counts a try of an address and of an account: its email, or the name of its passkey. Returns the
 * counted subjects, or null after too many tries.
 */
export async function throttle(
  sql: Sql,
  { account, ip, now }: { account: string } & Pick<SignIn, 'ip' | 'now'>,
): Promise<readonly string[] | null> {
  // Typed text may be a secret, so only its hash is stored.
  const subjects = ['ip:' + addressHolder(ip), 'user:' + hash('sha256', account)]
  for (const subject of subjects) {
    const attempt = { subject, now, since: now - TRIES_MS, max: TRIES_MAX }
    if (!(await countTry(sql, attempt))) return null
  }
  return subjects
}

/** Returns the person, or the reason of the failure. The call has used up only a try. */
export async function signIn(
  { sql, unseal }: { sql: Sql; unseal: Unseal },
  claim: SignIn,
): Promise<SignedIn | 'wrong' | 'throttled'> {
  const { now } = claim
  const email = claim.email.trim().toLowerCase()
  const subjects = await throttle(sql, { ...claim, account: email })
  if (subjects === null) return 'throttled'
  const { identityId } = claim
  const identity =
    identityId === undefined
      ? await findIdentityByEmail(sql, email)
      : await findIdentity(sql, identityId)
  const fits = await passwordFits(claim.password, identity?.passwordHash ?? (await nobodysHash()))
  const proof = identity === null ? null : proofOf(identity, claim, unseal)
  if (identity?.state !== 'active' || identity.passwordHash === null || !fits || proof === null)
    return 'wrong'
  return signedIn(identity, proof, { subjects, now })
}

/**
 * A signed-in person proves a second factor: a code of the generator, or a recovery code. Returns
 * the person, or the reason of the failure. The call has used up only a try.
 */
export async function signInByCode(
  { sql, unseal }: { sql: Sql; unseal: Unseal },
  claim: Omit<SignIn, 'password' | 'identityId'> & { identityId: string },
): Promise<SignedIn | 'wrong' | 'throttled'> {
  const { now, email, identityId } = claim
  const subjects = await throttle(sql, { ...claim, account: email })
  if (subjects === null) return 'throttled'
  const identity = await findIdentity(sql, identityId)
  const proof = identity === null ? null : proofOf(identity, claim, unseal)
  if (identity?.state !== 'active' || proof === null || proof.factor === 'password') return 'wrong'
  return signedIn(identity, proof, { subjects, now })
}

function signedIn(
  identity: IdentityRow,
  proof: Proof,
  attempt: Parameters<typeof forgiveTry>[1],
): SignedIn {
  return {
    identity,
    factor: proof.factor,
    async take(inner) {
      if (!(await proof.take(inner))) return false
      await forgiveTry(inner, attempt)
      return true
    },
  }
}

interface Proof {
  factor: Factor
  take(sql: TxSql): Promise<boolean>
}

function proofOf(
  identity: IdentityRow,
  claim: Pick<SignIn, 'code' | 'now'>,
  unseal: Unseal,
): Proof | null {
  const { id: identityId, totpSealed, hasPasskeys } = identity
  if (totpSealed === null && !hasPasskeys) return { factor: 'password', take: async () => true }
  const code = claim.code.trim()
  const step = totpSealed === null ? null : stepOf(identity, totpSealed, { ...claim, code, unseal })
  if (step !== null) return { factor: 'totp', take: (sql) => takeStep(sql, { identity, step }) }
  const hashed = recoveryHash(code)
  if (hashed === null) return null
  const recovery = { identityId, hash: hashed, now: claim.now }
  return { factor: 'recovery_code', take: (sql) => takeRecoveryCode(sql, recovery) }
}

function stepOf(
  { id }: IdentityRow,
  sealed: string,
  { code, unseal, now }: { code: string; unseal: Unseal; now: EpochMs },
): number | null {
  const secret = unseal(SEAL_CONTEXTS.totpSecret, sealed)
  if (!secret.ok) throw new Error('the secret of ' + id + ' does not open: ' + secret.error)
  return totpStep(secret.value.toString('utf8'), code.replaceAll(' ', ''), now)
}

let nobodys: Promise<string> | null = null

/** A hash that no password matches, so an unknown account takes as long as a known one. */
function nobodysHash(): Promise<string> {
  nobodys ??= passwordHash('')
  return nobodys
}

export const purgeTries: Job = {
  name: 'purge_sign_in_tries',
  every: 10_000,
  lease: 60_000,
  batch: 1000,
  run: ({ sql, now, batch }) => deleteTries(sql, { before: now - KEPT_MS, max: batch }),
}
