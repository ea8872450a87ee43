// Sends one-time links: to confirm an address, and to choose another password.
import { hash } from 'node:crypto'
import type { EpochMs } from '../../../shared/clock.ts'
import { randomSecret } from '../../../shared/id.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { Job } from '../../jobs/job.ts'
import { countTry, findVerifiedIdentity, type IdentityRow } from '../identities/index.ts'
import { LIFETIMES, type MailWorld, writeMail } from '../mails/index.ts'
import { deleteProofs, insertProof } from './store.ts'

const TOKEN_BYTES = 32
const KEPT_MS = 24 * 3_600_000
/** Chosen: an address gets at most three links in an hour, whoever asks. */
const MAILS_MAX = 3
const MAILS_MS = 3_600_000

export interface ProofWorld extends MailWorld {
  /** Base URL of the pages that people open, without a slash at its end. */
  pagesUrl: string
}

type Person = Pick<IdentityRow, 'id' | 'email' | 'name'>

/** Mails a link with which the person confirms the address. */
export async function sendVerification(
  sql: TxSql,
  world: ProofWorld,
  { id: identityId, email: to, name }: Person,
): Promise<void> {
  const token = randomSecret(TOKEN_BYTES)
  const proof = { tokenHash: proofHash(token), purpose: 'verify' as const, identityId }
  await insertProof(sql, { ...proof, endsAt: world.now + LIFETIMES.verify_address }, world.now)
  const fields = { link: world.pagesUrl + '/verify/' + token, name }
  await writeMail(sql, world, { to, template: 'verify_address', fields })
}

/**
 * Mails a link with which the person chooses another password, if a person proved the address. The
 * caller learns nothing, and one transaction with one commit takes the same time either way.
 */
export async function sendReset(sql: TxSql, world: ProofWorld, email: string): Promise<void> {
  const isFree = await mayMail(sql, { email, purpose: 'reset' }, world.now)
  const token = randomSecret(TOKEN_BYTES)
  const link = world.pagesUrl + '/recover/' + token
  const identity = await findVerifiedIdentity(sql, email)
  if (!isFree || identity?.state !== 'active') return
  const { id: identityId, name } = identity
  const proof = { tokenHash: proofHash(token), purpose: 'reset' as const, identityId }
  await insertProof(sql, { ...proof, endsAt: world.now + LIFETIMES.reset_password }, world.now)
  await writeMail(sql, world, { to: email, template: 'reset_password', fields: { link, name } })
}

/**
 * Makes a link with which a person comes in again without a second factor; it goes by mail where
 * the installation sends any. Returns the link and its end.
 */
export async function sendRegain(
  sql: TxSql,
  world: ProofWorld & { sendsMail: boolean },
  { id: identityId, email: to, ...names }: Person & { tenant: string; by: string },
): Promise<{ link: string; endsAt: EpochMs }> {
  const token = randomSecret(TOKEN_BYTES)
  const link = world.pagesUrl + '/regain/' + token
  const endsAt = world.now + LIFETIMES.regain_access
  const proof = { tokenHash: proofHash(token), purpose: 'regain' as const, identityId }
  await insertProof(sql, { ...proof, endsAt }, world.now)
  if (world.sendsMail)
    await writeMail(sql, world, { to, template: 'regain_access', fields: { ...names, link } })
  return { link, endsAt }
}

/**
 * Counts a link to an address; returns false after too many. Each purpose has its own count: who
 * signs up with an address of another person takes no password's link from that person.
 */
export function mayMail(
  sql: TxSql,
  { email, purpose }: { email: string; purpose: 'verify' | 'reset' },
  now: EpochMs,
): Promise<boolean> {
  const subject = 'mail:' + purpose + ':' + hash('sha256', email)
  return countTry(sql, { subject, now, since: now - MAILS_MS, max: MAILS_MAX })
}

/** The stored form of a token: a bare hash is enough for 256 random bits. */
export function proofHash(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

/** A day after its end a link goes. */
export const purgeProofs: Job = {
  name: 'purge_mail_proofs',
  every: 60_000,
  lease: 60_000,
  batch: 1000,
  run: ({ sql, now, batch }) => deleteProofs(sql, { before: now - KEPT_MS, max: batch }),
}
