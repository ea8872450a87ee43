// A ceremony: one challenge for one purpose. It is sealed into the form, so a page without an
// answer leaves no row. An answered challenge is kept until its expiry: none is answered twice.
import { hash, randomBytes } from 'node:crypto'
import type { EpochMs } from '../../../shared/clock.ts'
import { SEAL_CONTEXTS, type Unseal } from '../../../shared/keyring.ts'
import { purgeExpired } from '../../jobs/purge-expired.ts'
import type { Evidence } from '../../write/evidence.ts'

const NONCE_BYTES = 32
/** Chosen: time to answer a challenge of the account's pages and of a call that waits. */
const ANSWER_MS = 5 * 60_000
/** Chosen: a sign-in page may stay open for longer; its challenge changes nothing by itself. */
const SIGN_IN_MS = 30 * 60_000

export interface CeremonyFor {
  purpose: 'register' | 'sign_in' | 'prove' | 'approve'
  /** Session and page, or the id of the call's challenge; empty for a sign-in. */
  subject: string
}

interface Sealed extends CeremonyFor {
  /** Base64url. */
  nonce: string
  /** Base64url; the person's name at the device, for a registration. */
  userHandle: string
  expiresAt: EpochMs
  /** The approval of a passkey that a registration follows. */
  evidence: Evidence | null
}

export interface Ceremony {
  challenge: Buffer
  nonce: Buffer
  userHandle: Buffer
  expiresAt: EpochMs
  evidence: Evidence | null
}

/**
 * The challenge: SHA-256 of the nonce and the fingerprint of the approved call, 32 bytes. An
 * assertion for another call therefore has another challenge.
 */
export function challengeOf(nonce: Uint8Array, fingerprint: string): Buffer {
  return hash('sha256', Buffer.concat([nonce, Buffer.from(fingerprint, 'hex')]), 'buffer')
}

/** A fresh challenge, and the sealed text for the hidden field `ceremony`. */
export function beginCeremony(
  { seal }: { seal: (context: string, plaintext: string) => string },
  {
    purpose,
    subject,
    ...more
  }: CeremonyFor & { userHandle?: Buffer; fingerprint?: string; evidence?: Evidence | null },
  now: EpochMs,
): { challenge: Buffer; sealed: string } {
  const nonce = randomBytes(NONCE_BYTES)
  const ceremony: Sealed = {
    purpose,
    subject,
    nonce: nonce.toString('base64url'),
    userHandle: more.userHandle?.toString('base64url') ?? '',
    expiresAt: now + (purpose === 'sign_in' ? SIGN_IN_MS : ANSWER_MS),
    evidence: more.evidence ?? null,
  }
  const sealed = seal(SEAL_CONTEXTS.passkeyCeremony, JSON.stringify(ceremony))
  return { challenge: challengeOf(nonce, more.fingerprint ?? ''), sealed }
}

/** Null for a text that is not ours, for another purpose or subject, or too old. */
export function openCeremony(
  { unseal }: { unseal: Unseal },
  sealed: string,
  { purpose, subject, now, fingerprint = '' }: CeremonyFor & { now: EpochMs; fingerprint?: string },
): Ceremony | null {
  const opened = unseal(SEAL_CONTEXTS.passkeyCeremony, sealed)
  if (!opened.ok) return null
  const ceremony = JSON.parse(opened.value.toString('utf8')) as Sealed
  if (ceremony.purpose !== purpose || ceremony.subject !== subject) return null
  if (now >= ceremony.expiresAt) return null
  const nonce = Buffer.from(ceremony.nonce, 'base64url')
  return {
    challenge: challengeOf(nonce, fingerprint),
    nonce,
    userHandle: Buffer.from(ceremony.userHandle, 'base64url'),
    expiresAt: ceremony.expiresAt,
    evidence: ceremony.evidence ?? null,
  }
}

export const purgeCeremonies = purgeExpired({
  name: 'purge_webauthn_challenges',
  table: 'webauthn_challenges',
  key: 'hash',
  keptMs: 0,
  clock: 'installation',
})
