// The page behind a challenge_url: shows a call to a person, who approves or denies it. The address
// is the secret; the page needs no script.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Page, sendPage } from '../../http/pages/page.ts'
import { isSameOrigin } from '../../http/pages/same-origin.ts'
import { type Refusal, refusalAnswer } from '../../http/refusal.ts'
import type { HttpServices } from '../../http/services.ts'
import { endPage, waitingPage } from './challenge-view.ts'
import {
  approveCall,
  type Decision,
  denyCall,
  findChallengeByHandle,
  openChallenge,
  secretHash,
} from './index.ts'

const FORM_BYTES_MAX = 8 * 1024
const HANDLE = /^[\w-]{43}$/
/** Longer than any valid field; such a field is refused like a wrong one. */
const FIELD_CHARACTERS_MAX = 256

type Challenge = NonNullable<Awaited<ReturnType<typeof findChallengeByHandle>>>

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
    pages.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: FORM_BYTES_MAX },
      async (_request: FastifyRequest, text: string) => new URLSearchParams(text),
    )
    pages.setErrorHandler((error, request, reply) => {
      const { status, headers, unexpected } = refusalAnswer(error, {
        requestId: request.id,
        docsUrl: services.docsUrl,
      })
      if (unexpected) request.log.error({ request_id: request.id, err: error }, 'page failed')
      const end = status === 429 ? 'busy' : status < 500 ? 'unreadable' : 'broken'
      return sendPage(reply.headers(headers), { ...endPage(end), status })
    })
    const challengeOf = async (request: FastifyRequest): Promise<Challenge | null> => {
      const challenge = await findChallenge(services, request)
      if (challenge !== null) return challenge
      const refused = refusal(request)
      if (refused.code === 'unauthenticated_limit') throw refused
      return null
    }
    pages.get('/challenge/:handle', async (request, reply) => {
      return sendPage(reply, shown(services, request, await challengeOf(request)))
    })
    pages.post('/challenge/:handle', async (request, reply) => {
      if (!isSameOrigin(request)) return sendPage(reply, endPage('foreign'))
      const challenge = await challengeOf(request)
      if (challenge === null || challenge.state !== 'pending')
        return sendPage(reply, shown(services, request, challenge))
      return decide(services, { request, reply, challenge })
    })
  })
}

async function decide(
  services: HttpServices,
  {
    request,
    reply,
    challenge,
  }: { request: FastifyRequest; reply: FastifyReply; challenge: Challenge },
): Promise<FastifyReply> {
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
  const decision = await decided(services, request, { challenge, form })
  if (decision === 'wrong' || decision === 'throttled') {
    const { fields } = openChallenge(services.unseal, challenge.sealed)
    const again = { challenge, fields, problem: decision, email: fieldOf(form, 'email') }
    return sendPage(reply, waitingPage(again))
  }
  // The redirect removes the form from the browser's history: going back or reloading sends no form
  // again.
  return reply.code(303).header('Location', request.url).send()
}

async function decided(
  services: HttpServices,
  request: FastifyRequest,
  { challenge, form }: { challenge: Challenge; form: URLSearchParams },
): Promise<Decision> {
  const now = request.admittedAtMs
  if (form.get('decision') === 'deny') return denyCall(services, challenge, now)
  return approveCall(services, challenge, {
    email: fieldOf(form, 'email'),
    password: fieldOf(form, 'password'),
    code: fieldOf(form, 'code'),
    ip: request.clientAddress ?? '',
    now,
  })
}

function fieldOf(form: URLSearchParams, name: string): string {
  return (form.get(name) ?? '').slice(0, FIELD_CHARACTERS_MAX).replaceAll('\0', '')
}

async function findChallenge(services: HttpServices, { params }: FastifyRequest) {
  const { handle } = params as { handle: string }
  return HANDLE.test(handle) ? findChallengeByHandle(services.sql, secretHash(handle)) : null
}

function shown(services: HttpServices, request: FastifyRequest, challenge: Challenge | null): Page {
  if (challenge === null) return endPage('unknown')
  if (challenge.state !== 'pending') return endPage(challenge.state)
  if (request.admittedAtMs >= challenge.expiresAt) return endPage('expired')
  const { fields } = openChallenge(services.unseal, challenge.sealed)
  return waitingPage({ challenge, fields, problem: null, email: '' })
}
