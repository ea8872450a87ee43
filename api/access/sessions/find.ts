// Finds the session of a request.
import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { EpochMs } from '../../../shared/clock.ts'
import type { Sql } from '../../database/pool.ts'
import { sessionToken } from './cookie.ts'
import { isAlive, noteSeen } from './session.ts'
import type { KnownSession } from './store.ts'

interface SessionSource {
  sql: Sql
  /** Sessions in memory, by the hex of their hash. */
  credentials: { session(hash: string): KnownSession | null | Promise<KnownSession | null> }
}

/** The live session that the request's cookie names; null without one. Counts as its use. */
export async function findSession(
  { sql, credentials }: SessionSource,
  request: FastifyRequest,
): Promise<KnownSession | null> {
  const token = sessionToken(request)
  if (token === null) return null
  const known = await credentials.session(hash('sha256', token))
  if (known === null || !isAlive(known, request.admittedAtMs)) return null
  request.server.signedIn(request.raw.socket, known.identity.id)
  await noteSeen(sql, known, request.admittedAtMs)
  return known
}

/** The live session of the request's cookie at a later moment; it does not count as its use. */
export async function sessionAt(
  { credentials }: Pick<SessionSource, 'credentials'>,
  request: FastifyRequest,
  now: EpochMs,
): Promise<KnownSession | null> {
  const token = sessionToken(request)
  const known = token === null ? null : await credentials.session(hash('sha256', token))
  return known !== null && isAlive(known, now) ? known : null
}
