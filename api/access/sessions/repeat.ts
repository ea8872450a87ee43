// A request that repeats the one that renewed its session, under the cookie of before: the browser
// may never get the cookie of the first answer, because a second click replaces it.
import type { FastifyRequest } from 'fastify'
import type { Sql } from '../../database/pool.ts'
import { tx } from '../../database/transaction.ts'
import { sessionCookie } from './cookie.ts'
import { renewAgain } from './session.ts'
import type { KnownSession } from './store.ts'

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
