// The pages behind one-time links of mails. A GET changes nothing: programs open links of mails
// before people do.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { newId } from '../../../shared/id.ts'
import { addressHolder } from '../../../shared/peer-address.ts'
import { tx } from '../../database/transaction.ts'
import { fieldOf } from '../../http/pages/fields.ts'
import { sendPage } from '../../http/pages/page.ts'
import { pagesUrlOf } from '../../http/relying-party.ts'
import { countTry, passwordHash } from '../identities/index.ts'
import {
  findProof,
  type ProofWorld,
  proofHash,
  sendReset,
  useRegain,
  useReset,
  useVerification,
} from '../proofs/index.ts'
import { clearedCookie, findSession } from '../sessions/index.ts'
import { emailIn } from './forms.ts'
import {
  goneLinkPage,
  knownAddressPage,
  linkDonePage,
  newPasswordPage,
  recoverPage,
  recoverSentPage,
  verifyPage,
} from './links-view.ts'
import { passwordProblem } from './new-password.ts'
import type { PageServices } from './ports.ts'

const TRIES_MAX = 5
const TRIES_MS = 5 * 60_000

type Handler = (
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
) => Promise<FastifyReply>

/** Runs a handler with the token of the path; other texts read like a link that ended. */
export function withToken(run: Handler) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { token } = request.params as { token: string }
    return /^[\w-]{43}$/.test(token) ? run(request, reply, token) : sendPage(reply, goneLinkPage())
  }
}

/** The parts with which links are mailed. */
export function proofWorld(services: PageServices, request: FastifyRequest): ProofWorld {
  return { seal: services.seal, now: request.admittedAtMs, pagesUrl: pagesUrlOf(services) }
}

export function registerLinks(pages: FastifyInstance, services: PageServices): void {
  pages.get('/verify/:token', withToken(showVerification(services)))
  pages.post('/verify/:token', withToken(verify(services)))
  pages.get('/recover', (_request, reply) => sendPage(reply, recoverPage('', null)))
  pages.post('/recover', (request, reply) => askReset(services, request, reply))
  for (const link of LINKS) {
    pages.get(link.path + ':token', withToken(showPassword(services, link)))
    pages.post(link.path + ':token', withToken(choosePassword(services, link)))
  }
}

function showVerification({ sql }: PageServices): Handler {
  return async (request, reply, token) => {
    const query = { tokenHash: proofHash(token), now: request.admittedAtMs }
    const proof = await findProof(sql, { ...query, purpose: 'verify' })
    return sendPage(reply, proof === null ? goneLinkPage() : verifyPage(token, proof.email))
  }
}

function verify(services: PageServices): Handler {
  return async (request, reply, token) => {
    const session = await findSession(services, request)
    const call = callOf(request, token)
    const signedInAs = session?.identity.id ?? null
    const proof = await findProof(services.sql, { ...call, purpose: 'verify' })
    const use = () =>
      tx(services.sql, (sql) => useVerification(sql, { ...call, signedInAs }), request)
    // Two people may prove one address at once: the later one finds the earlier one there.
    const outcome = await use().catch((error: unknown) => {
      if (isAddressRace(error)) return use()
      throw error
    })
    if (outcome === 'gone' || proof === null) return sendPage(reply, goneLinkPage())
    if (outcome === 'known')
      return sendPage(reply, knownAddressPage(token, proof.email, session !== null))
    return sendPage(reply, linkDonePage(outcome))
  }
}

/** True where another transaction proved the address first. */
function isAddressRace(error: unknown): boolean {
  return (
    error instanceof Error &&
    'constraint_name' in error &&
    error.constraint_name === 'identities_verified'
  )
}

function callOf(request: FastifyRequest, token: string) {
  const { id: requestId, admittedAtMs: now, clientAddress: address } = request
  return { tokenHash: proofHash(token), requestId, address, now }
}

async function askReset(
  services: PageServices,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const typed = fieldOf(request, 'email')
  const email = emailIn(typed)
  const again = (status: 422 | 429, sentence: string) =>
    sendPage(reply, recoverPage(typed, { status, sentence }))
  if (email === null) return again(422, 'Type an email address, such as ada@example.com.')
  const now = request.admittedAtMs
  const subject = 'recover:' + addressHolder(request.clientAddress)
  const mayTry = await tx(
    services.sql,
    async (sql) => {
      const attempt = { subject, now, since: now - TRIES_MS, max: TRIES_MAX }
      if (!(await countTry(sql, attempt))) return false
      await sendReset(sql, proofWorld(services, request), email)
      return true
    },
    request,
  )
  if (!mayTry) return again(429, 'Too many tries. Wait five minutes, then try again.')
  return sendPage(reply, recoverSentPage())
}

/** A link by which a person chooses another password: their own, or one that an owner sent. */
interface PasswordLink {
  path: '/recover/' | '/regain/'
  purpose: 'reset' | 'regain'
  use: typeof useReset
  done: 'password' | 'regained'
}

const LINKS: readonly PasswordLink[] = [
  { path: '/recover/', purpose: 'reset', use: useReset, done: 'password' },
  { path: '/regain/', purpose: 'regain', use: useRegain, done: 'regained' },
]

function showPassword({ sql }: PageServices, { path, purpose }: PasswordLink): Handler {
  return async (request, reply, token) => {
    const proof = await findProof(sql, { ...callOf(request, token), purpose })
    if (proof === null) return sendPage(reply, goneLinkPage())
    return sendPage(reply, newPasswordPage({ path, token, email: proof.email, problem: null }))
  }
}

function choosePassword(services: PageServices, link: PasswordLink): Handler {
  const { path, purpose, use, done } = link
  return async (request, reply, token) => {
    const call = callOf(request, token)
    const proof = await findProof(services.sql, { ...call, purpose })
    if (proof === null) return sendPage(reply, goneLinkPage())
    const { email, name } = proof
    const password = fieldOf(request, 'password')
    const problem = await passwordProblem(password, { email, names: [name] })
    if (problem !== null) return sendPage(reply, newPasswordPage({ path, token, email, problem }))
    const hashed = await passwordHash(password)
    const used = await tx(
      services.sql,
      (sql) => use(sql, services, { ...call, passwordHash: hashed }),
      request,
    )
    if (used === null) return sendPage(reply, goneLinkPage())
    return sendPage(reply.header('Set-Cookie', clearedCookie(request)), linkDonePage(done))
  }
}

/** Id of a form that makes a new identity. */
export function newFormId({ clock }: PageServices): string {
  return newId('idn', clock.nowMs())
}
