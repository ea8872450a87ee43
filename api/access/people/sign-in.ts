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
import type { Timer } from '../../jobs/timer.ts'
import { passwordFits, passwordHash, recoveryHash, totpStep } from './secrets.ts'
import {
  countTry,
  deleteTries,
  findActiveUser,
  forgiveTry,
  takeRecoveryCode,
  takeStep,
  type UserRow,
} from './store.ts'

const TRIES_MAX = 5
const TRIES_MS = 5 * 60_000
const FORGOTTEN_MAX = 1000

/** A sign-in attempt. */
export interface SignIn {
  tenantId: string
  email: string
  password: string
  /** Six digits, or a recovery code. */
  code: string
  ip: string
  /** Installation time. */
  now: EpochMs
}

export type Factor = 'totp' | 'recovery_code'

export interface SignedIn {
  user: UserRow
  factor: Factor
  /**
   * Uses up the code in the transaction of the approved action; returns false if a rival was
   * faster.
   */
  take(sql: TxSql): Promise<boolean>
}

/** Returns the person, or the reason of the failure. The call has used up only a try. */
export async function signIn(
  { sql, unseal }: { sql: Sql; unseal: Unseal },
  claim: SignIn,
): Promise<SignedIn | 'wrong' | 'throttled'> {
  const { tenantId, now, ip } = claim
  const email = claim.email.trim().toLowerCase()
  // Typed text may be a secret, so only its hash is stored.
  const subjects = ['ip:' + addressHolder(ip), 'user:' + hash('sha256', tenantId + '\0' + email)]
  for (const subject of subjects) {
    const attempt = { subject, now, since: now - TRIES_MS, max: TRIES_MAX }
    if (!(await countTry(sql, attempt))) return 'throttled'
  }
  const user = await findActiveUser(sql, { tenantId, email })
  const fits = await passwordFits(claim.password, user?.passwordHash ?? (await nobodysHash()))
  const proof = user === null ? null : proofOf(user, claim, unseal)
  if (user === null || !fits || proof === null) return 'wrong'
  return {
    user,
    factor: proof.factor,
    async take(inner) {
      if (!(await proof.take(inner))) return false
      await forgiveTry(inner, { subjects, now })
      return true
    },
  }
}

interface Proof {
  factor: Factor
  take(sql: TxSql): Promise<boolean>
}

function proofOf(user: UserRow, claim: SignIn, unseal: Unseal): Proof | null {
  const { id: userId, totpSealed } = user
  const code = claim.code.trim()
  const secret = unseal(SEAL_CONTEXTS.totpSecret, totpSealed)
  if (!secret.ok) throw new Error('the secret of ' + userId + ' does not open: ' + secret.error)
  const step = totpStep(secret.value.toString('utf8'), code.replaceAll(' ', ''), claim.now)
  if (step !== null) return { factor: 'totp', take: (sql) => takeStep(sql, { user, step }) }
  const hashed = recoveryHash(code)
  if (hashed === null) return null
  const recovery = { userId, hash: hashed, now: claim.now }
  return { factor: 'recovery_code', take: (sql) => takeRecoveryCode(sql, recovery) }
}

let nobodys: Promise<string> | null = null

/** A hash that no password matches, so an unknown account takes as long as a known one. */
function nobodysHash(): Promise<string> {
  nobodys ??= passwordHash('')
  return nobodys
}

export const purgeTries: Timer = {
  name: 'forget sign-in tries',
  run: ({ sql, now }) => deleteTries(sql, { before: now - TRIES_MS, max: FORGOTTEN_MAX }),
}
