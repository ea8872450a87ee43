// Changes that signed-in people make to their own account.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type TxSql, tx } from '../../database/transaction.ts'
import { sendPage } from '../../http/pages/page.ts'
import { passwordHash, type SignedIn, savePassword, signIn } from '../identities/index.ts'
import { auditPerson } from '../people/index.ts'
import {
  endOtherSessions,
  endSession,
  findSession,
  IDLE_MS,
  type KnownSession,
  listSessions,
} from '../sessions/index.ts'
import { type AccountPage, accountPage, isNotice } from './account-view.ts'
import { fieldOf, passwordProblem } from './forms.ts'
import type { PageServices } from './ports.ts'

/** A request of a signed-in person. */
export interface SignedCall {
  services: PageServices
  request: FastifyRequest
  reply: FastifyReply
  session: KnownSession
}

type Problem = AccountPage['problem']

/** Runs a handler for a signed-in person; anyone else goes to the sign-in page and comes back. */
export function signedIn(services: PageServices, run: (call: SignedCall) => Promise<FastifyReply>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const session = await findSession(services, request)
    if (session !== null) return run({ services, request, reply, session })
    const back = request.method === 'GET' ? '?next=' + encodeURIComponent(request.url) : ''
    return reply.redirect('/sign-in' + back, 303)
  }
}

export function registerAccount(pages: FastifyInstance, services: PageServices): void {
  pages.get(
    '/account',
    signedIn(services, (call) => showAccount(call, null)),
  )
  pages.post('/account/password', signedIn(services, changePassword))
  pages.post(
    '/account/sessions/:id/end',
    signedIn(services, async ({ request, reply, session }) => {
      const { id } = request.params as { id: string }
      await endSession(services.sql, { id, identityId: session.identity.id })
      return reply.redirect('/account?done=session', 303)
    }),
  )
  pages.post(
    '/account/sessions/end_others',
    signedIn(services, async ({ reply, session }) => {
      const others = { identityId: session.identity.id, keptId: session.id }
      await endOtherSessions(services.sql, others)
      return reply.redirect('/account?done=sessions', 303)
    }),
  )
}

async function showAccount(
  { services, request, reply, session }: SignedCall,
  problem: Problem,
): Promise<FastifyReply> {
  const { done } = request.query as { done?: unknown }
  const notice = problem === null && isNotice(done) ? done : null
  const now = request.admittedAtMs
  const own = { identityId: session.identity.id, now, idleMs: IDLE_MS }
  const sessions = await listSessions(services.sql, own)
  return sendPage(reply, accountPage({ session, sessions, notice, problem }))
}

const WRONG: Problem = {
  status: 422,
  sentence: 'Password and code do not match. Each code works once. Nothing was changed.',
}
const THROTTLED: Problem = {
  status: 429,
  sentence: 'Too many tries. Wait five minutes, then try again. Nothing was changed.',
}

/**
 * Makes a change of how the person signs in, after the present password and code; every other
 * session ends with it. Returns null, or the reason why nothing was changed.
 */
export async function changeOwn(
  { services, request, session }: SignedCall,
  change: (sql: TxSql) => Promise<void>,
): Promise<Problem> {
  const now = request.admittedAtMs
  const { identity } = session
  const signed = await signIn(services, {
    email: identity.email,
    identityId: identity.id,
    password: fieldOf(request, 'password'),
    code: fieldOf(request, 'code'),
    ip: request.clientAddress ?? '',
    now,
  })
  if (signed === 'throttled') return THROTTLED
  if (signed === 'wrong') return WRONG
  return (await tx(services.sql, (sql) => changeOnce(sql, signed, change))) ? null : WRONG

  async function changeOnce(sql: TxSql, proof: SignedIn, work: typeof change): Promise<boolean> {
    if (!(await proof.take(sql))) return false
    await work(sql)
    await endOtherSessions(sql, { identityId: identity.id, keptId: session.id })
    await auditPerson(sql, {
      identityId: identity.id,
      action: request.method + ' ' + request.routeOptions.url,
      requestId: request.id,
      address: request.clientAddress,
      now,
    })
    return true
  }
}

async function changePassword(call: SignedCall): Promise<FastifyReply> {
  const { request, reply, session } = call
  const { id, email } = session.identity
  const password = fieldOf(request, 'new_password')
  const sentence = passwordProblem(password, email)
  if (sentence !== null) return showAccount(call, { status: 422, sentence })
  const hashed = await passwordHash(password)
  const problem = await changeOwn(call, (sql) => savePassword(sql, { id, passwordHash: hashed }))
  if (problem !== null) return showAccount(call, problem)
  return reply.redirect('/account?done=password', 303)
}
