// The pages on which owners and admins look after the people of their tenant. Each change needs the
// person's second factor, as the same call of the API does.

import type { FastifyInstance, FastifyReply } from 'fastify'
import { newId } from '../../../shared/id.ts'
import type { SentInvitation } from '../../../shared/schemas/invitation.ts'
import { fieldOf } from '../../http/pages/fields.ts'
import { sendPage } from '../../http/pages/page.ts'
import { pagesUrlOf } from '../../http/relying-party.ts'
import {
  type InviteWorld,
  invitationView,
  invite,
  listInvitations,
  resend,
  revoke,
} from '../invitations/index.ts'
import { listPeople, mayManage } from '../people/index.ts'
import { emailIn } from './forms.ts'
import { type ManagerCall, managing, PEOPLE_PATH, proved } from './managing.ts'
import {
  changeInvitationPage,
  isPeopleNotice,
  type PeopleNotice,
  peoplePage,
  ROLES_IN_ORDER,
} from './people-view.ts'
import type { PageServices } from './ports.ts'
import { type Problem, proofForm } from './proof.ts'
import { endingPage } from './sign-in-view.ts'

const SHOWN_MAX = 100
const PATH = PEOPLE_PATH

export function registerPeople(pages: FastifyInstance, services: PageServices): void {
  pages.get(
    PATH,
    managing(services, (call) => show(call, { link: null, problem: null })),
  )
  pages.post(PATH + '/invitations', managing(services, invitePerson))
  pages.get(
    PATH + '/invitations/:id',
    managing(services, (call) => {
      const { move } = call.request.query as { move?: unknown }
      return showChange(call, { move: move === 'revoke' ? 'revoke' : 'resend', problem: null })
    }),
  )
  for (const move of ['resend', 'revoke'] as const)
    pages.post(
      PATH + '/invitations/:id/' + move,
      managing(services, (call) => moveInvitation(call, move)),
    )
}

async function show(
  call: ManagerCall,
  { link, problem }: { link: string | null; problem: Problem | null },
): Promise<FastifyReply> {
  const { services, request, reply, member } = call
  const { tenantId, tenantName, role } = member
  const { done } = request.query as { done?: unknown }
  const people = await listPeople(services.sql, tenantId, { limit: SHOWN_MAX })
  const typed = { email: fieldOf(request, 'invited'), role: fieldOf(request, 'role') }
  const page = {
    ...{ tenantId, tenantName, typed, link, problem },
    people: people.rows,
    invitations: await openInvitations(call),
    roles: ROLES_IN_ORDER.filter((other) => mayManage(role, other)),
    proof: proofForm(call, 'POST ' + PATH + '/invitations'),
    notice: problem === null && isPeopleNotice(done) ? done : null,
  }
  return sendPage(reply, peoplePage(page))
}

async function openInvitations({ services, request, member }: ManagerCall) {
  const { tenantId } = member
  const now = request.admittedAtMs
  const listed = await listInvitations(services.sql, { tenantId, now }, { limit: SHOWN_MAX })
  return listed.rows
    .map((row) => invitationView(row, now))
    .filter(({ status }) => status === 'pending' || status === 'expired')
}

async function invitePerson(call: ManagerCall): Promise<FastifyReply> {
  const { request, member } = call
  const again = (problem: Problem) => show(call, { link: null, problem })
  const email = emailIn(fieldOf(request, 'invited'))
  const role = ROLES_IN_ORDER.find((each) => each === fieldOf(request, 'role'))
  if (email === null) return again({ status: 422, sentence: 'Type the address to invite.' })
  if (role === undefined) return again({ status: 422, sentence: 'Choose a role.' })
  const { tenantId, personId: inviterId } = member
  const made = await proved(call, (sql) =>
    invite(sql, worldOf(call), { tenantId, inviterId, email, role }),
  )
  return 'sentence' in made ? again(made) : finish(call, made, 'invited')
}

async function moveInvitation(call: ManagerCall, move: 'resend' | 'revoke'): Promise<FastifyReply> {
  const { tenantId, personId: inviterId } = call.member
  const { id } = call.request.params as { id: string }
  const now = call.request.admittedAtMs
  const moved = await proved(call, async (sql) => {
    if (move === 'resend') return resend(sql, worldOf(call), { tenantId, inviterId, id })
    const row = await revoke(sql, { tenantId, inviterId, id, now })
    return { ...invitationView(row, now), url: null }
  })
  if ('sentence' in moved) return showChange(call, { move, problem: moved })
  return finish(call, moved, move === 'resend' ? 'resent' : 'revoked')
}

function finish(
  call: ManagerCall,
  { url }: SentInvitation,
  done: PeopleNotice,
): Promise<FastifyReply> | FastifyReply {
  // Where no mail is sent, this page is the only one that shows the link.
  if (url !== null) return show(call, { link: url, problem: null })
  return call.reply.redirect('/people/' + call.member.tenantId + '?done=' + done, 303)
}

async function showChange(
  call: ManagerCall,
  { move, problem }: { move: 'resend' | 'revoke'; problem: Problem | null },
): Promise<FastifyReply> {
  const { id } = call.request.params as { id: string }
  const invitation = (await openInvitations(call)).find((one) => one.id === id)
  if (invitation === undefined) return sendPage(call.reply, endingPage('closed'))
  const peoplePath = '/people/' + call.member.tenantId
  const path = peoplePath + '/invitations/' + invitation.id
  const proof = proofForm(call, 'POST ' + PATH + '/invitations/:id/' + move)
  const page = { path, peoplePath, invitation, move, proof, problem }
  return sendPage(call.reply, changeInvitationPage(page))
}

function worldOf({ services, request }: ManagerCall): InviteWorld {
  const now = request.admittedAtMs
  const { seal, sendsMail } = services
  const pagesUrl = pagesUrlOf(services)
  return { seal, now, pagesUrl, sendsMail, newId: (prefix) => newId(prefix, now) }
}
