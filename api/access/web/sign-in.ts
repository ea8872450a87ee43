// The pages before a session, and the end of one.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { newId } from '../../../shared/id.ts'
import { addressHolder } from '../../../shared/peer-address.ts'
import { tx } from '../../database/transaction.ts'
import { fieldOf, longFieldOf } from '../../http/pages/fields.ts'
import { sendPage } from '../../http/pages/page.ts'
import { getOptions } from '../../http/pages/passkey-form.ts'
import { pagesUrlOf, partyOf } from '../../http/relying-party.ts'
import { countTry, type SignedIn, signIn } from '../identities/index.ts'
import { assertionIn, beginCeremony, signInByPasskey } from '../passkeys/index.ts'
import {
  clearedCookie,
  endSession,
  findSession,
  openSession,
  sessionCookie,
} from '../sessions/index.ts'
import { emailIn, nameIn, nextPath, passwordProblem } from './forms.ts'
import { proofWorld } from './links.ts'
import type { PageServices } from './ports.ts'
import {
  endingPage,
  type SignInForm,
  type SignUpForm,
  signInPage,
  signUpPage,
} from './sign-in-view.ts'
import { isFormId, isTenantCountry, signUp } from './sign-up.ts'
import { forgetPerson } from './signed-in.ts'

const SIGN_UPS_MAX = 5
const SIGN_UPS_MS = 5 * 60_000

export function registerSignIn(pages: FastifyInstance, services: PageServices): void {
  const { signUp: isOpen } = services
  pages.get('/sign-in', async (request, reply) => {
    const next = nextPath((request.query as { next?: string }).next)
    if ((await findSession(services, request)) !== null) return reply.redirect(next, 303)
    return showSignIn({ services, request, reply }, next, { problem: null })
  })
  pages.post('/sign-in', (request, reply) => enter({ services, request, reply }))
  pages.post('/sign-in/passkey', (request, reply) => enterByPasskey({ services, request, reply }))
  pages.post('/sign-out', async (request, reply) => {
    await endOwn(services, request)
    return reply.header('Set-Cookie', clearedCookie(request)).redirect('/sign-in', 303)
  })
  pages.get('/sign-up', async (_request, reply) =>
    sendPage(reply, isOpen ? signUpPage(emptyForm(services)) : endingPage('closed')),
  )
  pages.post('/sign-up', async (request, reply) =>
    isOpen ? open(services, request, reply) : sendPage(reply, endingPage('closed')),
  )
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
  const answer = await begin(visit, next, signed)
  return answer ?? showSignIn(visit, next, { email, problem: 'wrong' })
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
  return (await begin(visit, next, signed)) ?? showSignIn(visit, next, { problem: 'passkey' })
}

/** Begins a session and answers with its cookie; null if a rival used up the proof. */
async function begin(
  { services, request, reply }: Visit,
  next: string,
  { identity, factor, take }: SignedIn,
): Promise<FastifyReply | null> {
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
  if (token === null) return null
  // A session of before, or an id that another page set, ends here.
  await endOwn(services, request)
  return reply.header('Set-Cookie', sessionCookie(request, token)).redirect(next, 303)
}

async function endOwn(services: PageServices, request: FastifyRequest): Promise<void> {
  const session = await findSession(services, request)
  if (session === null) return
  const own = { id: session.id, identityId: session.identity.id }
  await tx(services.sql, (sql) => endSession(sql, own), request)
  forgetPerson(services, session)
}

function emptyForm({ clock }: PageServices): SignUpForm {
  const form = newId('idn', clock.nowMs())
  return { form, email: '', name: '', company: '', country: '', problem: null }
}

async function open(
  services: PageServices,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const typed = {
    form: fieldOf(request, 'form'),
    email: fieldOf(request, 'email'),
    name: fieldOf(request, 'name'),
    company: fieldOf(request, 'company'),
    country: fieldOf(request, 'country'),
  }
  const again = (status: 422 | 429, sentence: string) =>
    sendPage(reply, signUpPage({ ...typed, problem: { status, sentence } }))
  const now = request.admittedAtMs
  const subject = 'sign-up:' + addressHolder(request.clientAddress)
  const attempt = { subject, now, since: now - SIGN_UPS_MS, max: SIGN_UPS_MAX }
  if (!(await countTry(services.sql, attempt)))
    return again(429, 'Too many tries. Wait five minutes, then try again.')
  const [email, name, company] = [emailIn(typed.email), nameIn(typed.name), nameIn(typed.company)]
  const country = typed.country.trim().toUpperCase()
  if (email === null) return again(422, 'Type an email address, such as ada@example.com.')
  if (name === null) return again(422, 'Type your name, of at most 100 characters.')
  if (company === null) return again(422, 'Type the name of your company.')
  if (!isTenantCountry(country)) return again(422, 'Type a country of two letters, such as DE.')
  const password = fieldOf(request, 'password')
  const problem = passwordProblem(password, email)
  if (problem !== null) return again(422, problem)
  if (!isFormId(typed.form)) return sendPage(reply, endingPage('unreadable'))
  const token = await signUp(services, {
    identityId: typed.form,
    ...{ email, name, company, country, password, now },
    address: request.clientAddress,
    agent: request.headers['user-agent'] ?? '',
    requestId: request.id,
    proofs: proofWorld(services, request),
    wait: request.wait,
  })
  if (token === null) return reply.redirect('/sign-in', 303)
  await endOwn(services, request)
  return reply.header('Set-Cookie', sessionCookie(request, token)).redirect('/account', 303)
}
