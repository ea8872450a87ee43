// The proofs of a person's identity: a password, a current six-digit code, or a recovery code.
import { randomBytes, hash as sha256 } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { Secret, TOTP } from 'otpauth'
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import { encodeId } from '../../../shared/id.ts'

/** argon2id, as OWASP advises for a server; stored with each hash. */
const ARGON2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
/** RFC 6238, in the form that every authenticator supports. */
const TOTP_OPTIONS = { algorithm: 'SHA1', digits: 6, period: 30 }
const TOTP_SECRET_BYTES = 20
/** A code of the step before or after is valid too: clocks differ, and people type slowly. */
const TOTP_WINDOW = 1
const RECOVERY_CODES = 10
/** Five bits each, eighty in all: no attacker finds a code from its hash. */
const RECOVERY_CHARACTERS = 16
const ID_BYTES = 16

/** Runs of argon2 since the start: whether an account exists must not change their number. */
export const passwordWork = { hashed: 0, verified: 0 }

export function passwordHash(password: string): Promise<string> {
  passwordWork.hashed += 1
  return hash(password, ARGON2)
}

export function passwordFits(password: string, kept: string): Promise<boolean> {
  passwordWork.verified += 1
  return verify(kept, password)
}

/** Returns a fresh secret as base32, the form for authenticators. */
export function newTotpSecret(): string {
  return new Secret({ size: TOTP_SECRET_BYTES }).base32
}

/** Returns the thirty-second step of this code, or null. */
export function totpStep(secret: string, code: string, now: EpochMs): number | null {
  if (!/^\d{6}$/.test(code)) return null
  const totp = new TOTP({ ...TOTP_OPTIONS, secret: Secret.fromBase32(secret) })
  const delta = totp.validate({ token: code, timestamp: now, window: TOTP_WINDOW })
  return delta === null ? null : totp.counter({ timestamp: now }) + delta
}

/** Codes of the form `xxxx-xxxx-xxxx-xxxx`, shown once. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const text = encodeId(randomBytes(ID_BYTES)).slice(-RECOVERY_CHARACTERS)
    const groups = text.match(/.{4}/g)
    assert(groups !== null, 'a code has characters')
    return groups.join('-')
  })
}

/**
 * Returns the stored hash of a recovery code, for any spelling; null if the text cannot be a code.
 */
export function recoveryHash(code: string): Buffer | null {
  const text = code.toLowerCase().replaceAll(/[\s-]/g, '')
  return /^[0-9a-z]{16}$/.test(text) ? sha256('sha256', text, 'buffer') : null
}
