// The page behind a challenge_url: shows a call to a person, who approves or denies it. The address
// is the secret; the page needs no script, except for a passkey.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { fieldOf } from '../../http/pages/fields.ts'
import { type Page, sendPage } from '../../http/pages/page.ts'
import { isSameOrigin, leadToOwnHost } from '../../http/pages/same-origin.ts'
import { answerErrors, readForms } from '../../http/pages/scope.ts'
import type { Refusal } from '../../http/refusal.ts'
import type { HttpServices } from '../../http/services.ts'
import { signIn } from '../identities/index.ts'
import { mayApprove } from '../people/index.ts'
import { findSession, type KnownSession } from '../sessions/index.ts'
import {
  approvalPrint,
  approverByCode,
  approverByPasskey,
  challengeNamed,
  passkeyOffer,
  renewedCookie,
  repeatedApproval,
} from './approver.ts'
import { endPage, type Waiting, waitingPage } from './challenge-view.ts'
import { type Approver, approveCall, type Decision, denyCall, openChallenge } from './index.ts'

const FORM_BYTES_MAX = 8 * 1024

type Challenge = NonNullable<Awaited<ReturnType<typeof challengeNamed>>>

/**
 * A separate scope of the server: no other scope reads forms, or answers errors as pages. `refusal`
 * counts how often an address requested an unknown page.
 */
export function registerPages(
  server: FastifyInstance,
  services: HttpServices,
  refusal: (request: FastifyRequest) => Refusal,
): void {
  server.register(async (pages) => {
    readForms(pages, FORM_BYTES_MAX)
    pages.addHook('onRequest', leadToOwnHost(services))
    answerErrors(pages, services, (reply, status, isOpen) =>
      sendPage(reply, { ...endPage(isOpen ? 'undecided' : endOf(status)), status }),
    )
    const challengeOf = async (request: FastifyRequest): Promise<Challenge | null> => {
      const challenge = await findChallenge(services, request)
      if (challenge !== null) return challenge
      const refused = refusal(request)
      if (refused.code === 'unauthenticated_limit') throw refused
      return null
    }
    pages.get('/challenge/:handle', async (request, reply) => {
      return sendPage(reply, await shown(services, request, await challengeOf(request)))
    })
    pages.post('/challenge/:handle', async (request, reply) => {
      if (!isSameOrigin(request)) return sendPage(reply, endPage('foreign'))
      const challenge = await challengeOf(request)
      if (challenge === null || challenge.state !== 'pending') {
        await keepSignedIn(services, request, reply)
        return sendPage(reply, await shown(services, request, challenge))
      }
      return decide(services, { request, reply, challenge })
    })
  })
}

function endOf(status: number): 'busy' | 'unreadable' | 'away' | 'broken' {
  if (status === 429) return 'busy'
  if (status < 500) return 'unreadable'
  return status === 503 ? 'away' : 'broken'
}

interface Answer {
  request: FastifyRequest
  reply: FastifyReply
  challenge: Challenge
}

async function decide(services: HttpServices, answer: Answer): Promise<FastifyReply> {
  const { request, reply, challenge } = answer
  const decision = await decided(services, answer)
  const given = fieldOf(request, 'decision') === 'deny' ? 'denied' : 'approved'
  request.factorOutcome = decision === 'decided' ? given : decision
  const isRepeat = decision !== 'decided' && (await keepSignedIn(services, request, reply))
  if (isRepeat) return reply.code(303).header('Location', request.url).send()
  if (decision === 'wrong' || decision === 'throttled' || decision === 'late') {
    const again = { problem: decision, email: fieldOf(request, 'email') }
    return sendPage(reply, await waiting(services, request, { challenge, ...again }))
  }
  // The redirect removes the form from the browser's history: going back or reloading sends no form
  // again.
  return reply.code(303).header('Location', request.url).send()
}

/**
 * True for a repeat of the form that approved the call, by a double click: it is answered as the
 * first was, and its session goes on.
 */
async function keepSignedIn(
  services: HttpServices,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  const session = await findSession(services, request)
  const repeated = { handle: handleOf(request), session }
  const approval = await repeatedApproval(services, request, repeated)
  if (approval?.cookie != null) reply.header('Set-Cookie', approval.cookie)
  return approval !== null
}

async function decided(services: HttpServices, answer: Answer): Promise<Decision> {
  const { request, reply, challenge } = answer
  const now = request.admittedAtMs
  if (fieldOf(request, 'decision') === 'deny')
    return denyCall(services, challenge, { now, wait: request.wait })
  const session = await findSession(services, request)
  const approver = await approverOf(services, answer, session)
  if (typeof approver === 'string') return approver
  const by = { approver, now, wait: request.wait, session, print: approvalPrint(request, session) }
  const approved = await approveCall(services, challenge, by)
  const cookie = renewedCookie(services, request, { session, token: approved.token })
  if (cookie !== null) reply.header('Set-Cookie', cookie)
  return approved.decision
}

/**
 * The person who proves their identity in the form: by a passkey, by a code beside a session, or by
 * email, password and code.
 */
async function approverOf(
  services: HttpServices,
  { request, challenge }: Answer,
  current: KnownSession | null,
): Promise<Approver | 'wrong' | 'throttled' | 'late'> {
  const repeated = { handle: handleOf(request), session: current }
  const byPasskey = await approverByPasskey(services, request, challenge, repeated)
  if (byPasskey !== null) return byPasskey
  const [email, password] = [fieldOf(request, 'email'), fieldOf(request, 'password')]
  const session = await approvingSession(services, request, challenge)
  if (session !== null && email === '') return approverByCode(services, request, session)
  const from = { ip: request.clientAddress ?? '', now: request.admittedAtMs }
  return signIn(services, { email, password, code: fieldOf(request, 'code'), ...from })
}

/** The session of a person who may approve this call; null for anyone else. */
async function approvingSession(
  services: HttpServices,
  request: FastifyRequest,
  { tenantId, environment }: Challenge,
): Promise<KnownSession | null> {
  const session = await findSession(services, request)
  const member = session?.memberships.find((each) => each.tenantId === tenantId)
  return member !== undefined && mayApprove(member.role, environment) ? session : null
}

async function findChallenge(services: HttpServices, { params }: FastifyRequest) {
  return challengeNamed(services, handleOf({ params }))
}

function handleOf({ params }: Pick<FastifyRequest, 'params'>): string {
  return (params as { handle: string }).handle
}

async function shown(
  services: HttpServices,
  request: FastifyRequest,
  challenge: Challenge | null,
): Promise<Page> {
  if (challenge === null) return endPage('unknown')
  if (challenge.state !== 'pending') return endPage(challenge.state)
  if (request.admittedAtMs >= challenge.expiresAt) return endPage('expired')
  return waiting(services, request, { challenge, problem: null, email: '' })
}

/** The page of a call that waits, with a fresh challenge for a passkey. */
async function waiting(
  services: HttpServices,
  request: FastifyRequest,
  shown: Pick<Waiting, 'challenge' | 'problem' | 'email'>,
): Promise<Page> {
  const { challenge } = shown
  const { fields } = openChallenge(services.unseal, challenge.sealed)
  const session = await approvingSession(services, request, challenge)
  return waitingPage({
    ...shown,
    fields,
    approver: session?.identity ?? null,
    passkey: passkeyOffer(services, challenge, request.admittedAtMs),
  })
}
