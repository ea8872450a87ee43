// The page before a session, and the end of one.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { tx } from '../../database/transaction.ts'
import { fieldOf, longFieldOf } from '../../http/pages/fields.ts'
import { sendPage } from '../../http/pages/page.ts'
import { getOptions } from '../../http/pages/passkey-form.ts'
import { pagesUrlOf, partyOf } from '../../http/relying-party.ts'
import { type SignedIn, signIn } from '../identities/index.ts'
import { assertionIn, beginCeremony, signInByPasskey } from '../passkeys/index.ts'
import {
  clearedCookie,
  endSession,
  findSession,
  openSession,
  sessionCookie,
} from '../sessions/index.ts'
import { nextPath } from './forms.ts'
import type { PageServices } from './ports.ts'
import { type SignInForm, signInPage } from './sign-in-view.ts'
import { forgetPerson } from './signed-in.ts'

export function registerSignIn(pages: FastifyInstance, services: PageServices): void {
  pages.get('/sign-in', async (request, reply) => {
    const next = nextPath((request.query as { next?: string }).next)
    if ((await findSession(services, request)) !== null) return reply.redirect(next, 303)
    return showSignIn({ services, request, reply }, next, { problem: null })
  })
  pages.post('/sign-in', (request, reply) => enter({ services, request, reply }))
  pages.post('/sign-in/passkey', (request, reply) => enterByPasskey({ services, request, reply }))
  pages.post('/sign-out', async (request, reply) => {
    await endOwn(services, request)
    const next = fieldOf(request, 'next')
    const back = next === '' ? '' : '?next=' + encodeURIComponent(nextPath(next))
    return reply.header('Set-Cookie', clearedCookie(request)).redirect('/sign-in' + back, 303)
  })
}

interface Visit {
  services: PageServices
  request: FastifyRequest
  reply: FastifyReply
}

interface Shown {
  email?: string
  problem: SignInForm['problem']
  unknown?: SignInForm['passkey']['unknown']
}

/** The page with a fresh challenge for a passkey. */
function showSignIn(visit: Visit, next: string, { email = '', problem, unknown }: Shown) {
  const { services, request, reply } = visit
  const ceremony = { purpose: 'sign_in', subject: '' } as const
  const { challenge, sealed } = beginCeremony(services, ceremony, request.admittedAtMs)
  const options = getOptions(partyOf(pagesUrlOf(services)), { challenge })
  const passkey = { options, sealed, unknown: unknown ?? null }
  return sendPage(reply, signInPage({ email, next, problem, signUp: services.signUp, passkey }))
}

async function enter(visit: Visit): Promise<FastifyReply> {
  const { services, request } = visit
  const email = fieldOf(request, 'email')
  const next = nextPath(fieldOf(request, 'next'))
  const [password, code] = [fieldOf(request, 'password'), fieldOf(request, 'code')]
  const from = { ip: request.clientAddress ?? '', now: request.admittedAtMs }
  const signed = await signIn(services, { email, password, code, ...from })
  if (typeof signed === 'string') return showSignIn(visit, next, { email, problem: signed })
  const isBegun = await begin(visit, next, signed)
  return isBegun ? visit.reply : showSignIn(visit, next, { email, problem: 'wrong' })
}

async function enterByPasskey(visit: Visit): Promise<FastifyReply> {
  const { services, request } = visit
  const next = nextPath(fieldOf(request, 'next'))
  const sent = assertionIn((name) => longFieldOf(request, name))
  if (sent === null) return showSignIn(visit, next, { problem: 'passkey' })
  const party = partyOf(pagesUrlOf(services))
  const signed = await signInByPasskey(services, {
    sent,
    sealed: longFieldOf(request, 'ceremony'),
    expected: { purpose: 'sign_in', subject: '' },
    party,
    ip: request.clientAddress ?? '',
    requestId: request.id,
    now: request.admittedAtMs,
  })
  if (typeof signed === 'string') {
    const { credential_id: credentialId } = sent
    const unknown = signed === 'unknown' ? { rpId: party.id, credentialId } : null
    const problem = signed === 'late' || signed === 'throttled' ? signed : 'passkey'
    return showSignIn(visit, next, { problem, unknown })
  }
  const isBegun = await begin(visit, next, signed)
  return isBegun ? visit.reply : showSignIn(visit, next, { problem: 'passkey' })
}

/** Begins a session and answers with its cookie. False, without an answer, if a rival was first. */
async function begin(
  { services, request, reply }: Visit,
  next: string,
  { identity, factor, take }: SignedIn,
): Promise<boolean> {
  const token = await tx(
    services.sql,
    async (sql) => {
      if (!(await take(sql))) return null
      return openSession(sql, {
        identityId: identity.id,
        factor,
        address: request.clientAddress,
        agent: request.headers['user-agent'] ?? '',
        now: request.admittedAtMs,
      })
    },
    request,
  )
  if (token === null) return false
  // A session of before, or an id that another page set, ends here.
  await endOwn(services, request)
  // Not returned: whoever awaits a reply of Fastify gets nothing once it is sent.
  void reply.header('Set-Cookie', sessionCookie(request, token)).redirect(next, 303)
  return true
}

/** Ends the session of before, if the browser had one. */
export async function endOwn(services: PageServices, request: FastifyRequest): Promise<void> {
  const session = await findSession(services, request)
  if (session === null) return
  const own = { id: session.id, identityId: session.identity.id }
  await tx(services.sql, (sql) => endSession(sql, own), request)
  forgetPerson(services, session)
}
