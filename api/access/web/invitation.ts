// The page behind the link of an invitation.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { tx } from '../../database/transaction.ts'
import { fieldOf } from '../../http/pages/fields.ts'
import { sendPage } from '../../http/pages/page.ts'
import { findVerifiedIdentity, passwordHash } from '../identities/index.ts'
import { type Accepter, accept, findByToken, statusOf, tokenHash } from '../invitations/index.ts'
import { findSession, type KnownSession, openSession, sessionCookie } from '../sessions/index.ts'
import { nameIn, refusalOf } from './forms.ts'
import { newFormId, withToken } from './links.ts'
import { goneLinkPage, type InvitationPage, invitationPage, type Visitor } from './links-view.ts'
import { passwordProblem } from './new-password.ts'
import type { PageServices } from './ports.ts'
import { isFormId } from './sign-up.ts'

type Invitation = NonNullable<Awaited<ReturnType<typeof findByToken>>>

/** A visit with a link that still works. */
interface Visit {
  services: PageServices
  request: FastifyRequest
  reply: FastifyReply
  token: string
  invitation: Invitation
  session: KnownSession | null
}

export function registerInvitation(pages: FastifyInstance, services: PageServices): void {
  const withVisit = (run: (visit: Visit) => Promise<FastifyReply>) =>
    withToken(async (request, reply, token) => {
      const invitation = await findByToken(services.sql, tokenHash(token))
      const now = request.admittedAtMs
      if (invitation === null || statusOf(invitation, now) !== 'pending')
        return sendPage(reply, goneLinkPage())
      const session = await findSession(services, request)
      return run({ services, request, reply, token, invitation, session })
    })
  pages.get(
    '/invitations/:token',
    withVisit((visit) => show(visit, null)),
  )
  pages.post('/invitations/:token', withVisit(join))
}

async function visitorOf({ services, request, invitation, session }: Visit): Promise<Visitor> {
  const { email } = invitation
  if (session !== null)
    return session.identity.email === email
      ? { kind: 'member' }
      : { kind: 'other', email: session.identity.email }
  const isKnown = (await findVerifiedIdentity(services.sql, email)) !== null
  return isKnown ? { kind: 'known' } : { kind: 'new', name: fieldOf(request, 'name') }
}

async function show(visit: Visit, problem: InvitationPage['problem']): Promise<FastifyReply> {
  const { services, reply, token, invitation } = visit
  const visitor = await visitorOf(visit)
  const form = newFormId(services)
  return sendPage(reply, invitationPage({ ...invitation, token, visitor, form, problem }))
}

async function join(visit: Visit): Promise<FastifyReply> {
  const { services, request, reply, token, session } = visit
  const again = (sentence: string) => show(visit, refusedBy(sentence))
  const by = session === null ? await newPerson(visit) : { identityId: session.identity.id }
  if ('sentence' in by) return show(visit, by)
  const { id: requestId, admittedAtMs: now, clientAddress: address } = request
  const agent = request.headers['user-agent'] ?? ''
  const joined = await tx(
    services.sql,
    async (sql) => {
      const call = { tokenHash: tokenHash(token), by, requestId, address, now }
      const acceptance = await accept(sql, services, call)
      if (acceptance.outcome !== 'joined' || session !== null) return { acceptance, cookie: null }
      const { identityId } = acceptance
      const opened = await openSession(sql, { identityId, factor: 'password', address, agent, now })
      return { acceptance, cookie: sessionCookie(request, opened) }
    },
    request,
  )
  const { acceptance, cookie } = joined
  if (acceptance.outcome === 'gone') return sendPage(reply, goneLinkPage())
  if (acceptance.outcome === 'member') return again('You belong to this tenant already.')
  // The page says how this visitor may go on.
  if (acceptance.outcome !== 'joined') return show({ ...visit, session }, null)
  if (cookie !== null) reply.header('Set-Cookie', cookie)
  return reply.redirect('/account?done=joined', 303)
}

type Problem = NonNullable<InvitationPage['problem']>

function refusedBy(sentence: string): Problem {
  return { status: 422, sentence }
}

/** The new person of the form, or the problem with it. */
async function newPerson({ request, invitation }: Visit): Promise<Accepter | Problem> {
  const typed = fieldOf(request, 'name')
  const name = nameIn(typed)
  if (name === null)
    return refusedBy(refusalOf(typed, 'Type your name, of at most 100 characters.'))
  const password = fieldOf(request, 'password')
  const { email, tenantName } = invitation
  const problem = await passwordProblem(password, { email, names: [name, tenantName] })
  if (problem !== null) return problem
  const newIdentityId = fieldOf(request, 'form')
  if (!isFormId(newIdentityId)) return refusedBy('Open the page again.')
  return { newIdentityId, name, passwordHash: await passwordHash(password) }
}
