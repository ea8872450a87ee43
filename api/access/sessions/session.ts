// A session: 256 random bits in a cookie, of which the database keeps the hash. It ends 30 minutes
// after the last request, and 12 hours after it began.
import type { FastifyRequest } from 'fastify'
import type { EpochMs } from '../../../shared/clock.ts'
import { newId, randomSecret } from '../../../shared/id.ts'
import type { Sql } from '../../database/pool.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import type { Job } from '../../jobs/job.ts'
import { sessionCookie } from './cookie.ts'
import {
  deleteEnded,
  insertSession,
  type KnownSession,
  lockReplaced,
  replaceHash,
  type SessionFactor,
  sessionHash,
  touchSession,
} from './store.ts'

const TOKEN_BYTES = 32
export const IDLE_MS = 30 * 60_000
const SESSION_MS = 12 * 3_600_000
const SEEN_MS = 60_000
const AGENT_CHARACTERS_MAX = 200
/** Chosen: for requests under way, such as the second click on a form. */
const GRACE_MS = 10_000
const STRENGTHS: { readonly [Factor in SessionFactor]: number } = {
  password: 0,
  recovery_code: 1,
  totp: 1,
  passkey: 2,
}

/** Begins a session and returns the token for the cookie. */
export async function openSession(
  sql: TxSql,
  session: {
    identityId: string
    factor: SessionFactor
    address: string | null
    agent: string
    now: EpochMs
  },
): Promise<string> {
  const { now, agent } = session
  const token = randomSecret(TOKEN_BYTES)
  await insertSession(sql, {
    ...session,
    id: newId('ses', now),
    hash: sessionHash(token),
    agent: agent.replaceAll(/[^\x20-\x7e]/g, '').slice(0, AGENT_CHARACTERS_MAX),
    endsAt: now + SESSION_MS,
  })
  return token
}

/**
 * Gives a session another cookie after its person proved a factor; the session keeps its end, and
 * the stronger of both factors. Returns the token of the cookie, or null where a request beside
 * this one was faster. Forget the person after the commit.
 */
export async function renewSession(
  sql: TxSql,
  session: KnownSession,
  { factor, now }: { factor: SessionFactor; now: EpochMs },
): Promise<string | null> {
  const token = randomSecret(TOKEN_BYTES)
  const isReplaced = await replaceHash(sql, session, {
    hash: sessionHash(token),
    factor: STRENGTHS[factor] > STRENGTHS[session.factor] ? factor : session.factor,
    graceId: newId('ses', now),
    graceEndsAt: now + GRACE_MS,
  })
  return isReplaced ? token : null
}

/**
 * Gives a renewed session another cookie once more, for a request under the cookie of before; the
 * session keeps its factor. Null for a cookie that does not stand for another. Forget the person
 * after the commit.
 */
async function renewAgain(sql: TxSql, session: KnownSession, now: EpochMs): Promise<string | null> {
  const present = await lockReplaced(sql, session, now)
  if (present === null) return null
  return renewSession(sql, { ...session, ...present }, { factor: present.factor, now })
}

/** Returns false for a session that is idle for too long or at its limit. */
export function isAlive({ seenAt, endsAt }: KnownSession, now: EpochMs): boolean {
  return now < endsAt && now < seenAt + IDLE_MS
}

/** Records that the session was used, at most once a minute. */
export async function noteSeen(sql: Sql, session: KnownSession, now: EpochMs): Promise<void> {
  if (now < session.seenAt + SEEN_MS) return
  session.seenAt = now
  await touchSession(sql, { id: session.id, now })
}

/** Deletes sessions that ended. */
export const purgeSessions: Job = {
  name: 'purge_sessions',
  every: 10_000,
  lease: 60_000,
  batch: 1000,
  run: ({ sql, now, batch }) => deleteEnded(sql, { now, seenBefore: now - IDLE_MS, max: batch }),
}

/**
 * Text of Set-Cookie for the session of a repeat; null for a request that carries the session's own
 * cookie, or one whose grace is over. Only for a repeat that another browser cannot send.
 */
export async function cookieForRepeat(
  { sql, credentials }: { sql: Sql; credentials: { forget(subject: string): void } },
  request: FastifyRequest,
  session: KnownSession,
): Promise<string | null> {
  const token = await tx(sql, (inner) => renewAgain(inner, session, request.admittedAtMs), request)
  if (token === null) return null
  // The process knows its own change before it hears of it.
  credentials.forget('identity:' + session.identity.id)
  return sessionCookie(request, token)
}
