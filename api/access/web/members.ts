// The pages on which an owner or admin changes one member of the tenant: role, state, removal, and
// a link for a member who lost every factor.
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { TxSql } from '../../database/transaction.ts'
import { fieldOf } from '../../http/pages/fields.ts'
import { sendPage } from '../../http/pages/page.ts'
import {
  changeMemberRole,
  disableMember,
  enableMember,
  letIn,
  type MemberChange,
  removeFromTenant,
} from '../members/index.ts'
import { findPerson, mayManage, type PersonRow } from '../people/index.ts'
import { proofWorld } from './links.ts'
import { type ManagerCall, managing, PEOPLE_PATH, proved } from './managing.ts'
import { isMemberMove, type MemberMove, MOVES, memberPage } from './members-view.ts'
import { ROLES_IN_ORDER } from './people-view.ts'
import type { PageServices } from './ports.ts'
import { type Problem, proofForm } from './proof.ts'
import { endingPage } from './sign-in-view.ts'

const PATH = PEOPLE_PATH + '/members/:id'

export function registerMembers(pages: FastifyInstance, services: PageServices): void {
  pages.get(
    PATH,
    managing(services, (call) => {
      const { move } = call.request.query as { move?: unknown }
      return show(call, { move: isMemberMove(move) ? move : 'role', problem: null, link: null })
    }),
  )
  for (const move of MOVES)
    pages.post(
      PATH + '/' + move,
      managing(services, (call) => change(call, move)),
    )
}

interface Shown {
  move: MemberMove
  problem: Problem | null
  /** One-time link of a member, where no mail is sent. */
  link: string | null
}

async function show(call: ManagerCall, shown: Shown): Promise<FastifyReply> {
  const { services, request, reply, member } = call
  const { id } = request.params as { id: string }
  const person = await findPerson(services.sql, id)
  const isManaged = person?.tenantId === member.tenantId && mayManage(member.role, person.role)
  if (!isManaged) return sendPage(reply, endingPage('closed'))
  const page = {
    ...shown,
    peoplePath: '/people/' + member.tenantId,
    person,
    isOwn: person.id === member.personId,
    roles: ROLES_IN_ORDER.filter((role) => mayManage(member.role, role)),
    chosen: fieldOf(request, 'role') || person.role,
    proof: proofForm(call, 'POST ' + PATH + '/' + shown.move),
  }
  return sendPage(reply, memberPage(page))
}

async function change(call: ManagerCall, move: MemberMove): Promise<FastifyReply> {
  const again = (problem: Problem) => show(call, { move, problem, link: null })
  const role = ROLES_IN_ORDER.find((each) => each === fieldOf(call.request, 'role'))
  if (move === 'role' && role === undefined)
    return again({ status: 422, sentence: 'Choose a role.' })
  const { services, request, reply, member } = call
  const { id: personId } = request.params as { id: string }
  const { tenantId, personId: byId } = member
  const input = { tenantId, byId, personId, address: request.clientAddress }
  let link: string | null = null
  const made = await proved(call, async (sql) => {
    if (move !== 'let_in') return CHANGES[move](sql, call, { ...input, role: role ?? 'support' })
    const { sendsMail } = services
    const sent = await letIn(sql, { ...proofWorld(services, request), sendsMail }, input)
    link = sent.url
    return sent.person
  })
  if ('sentence' in made) return again(made)
  // Where no mail is sent, this page is the only one that shows the link.
  if (link !== null) return show(call, { move, problem: null, link })
  return reply.redirect('/people/' + tenantId + '?done=' + DONE[move], 303)
}

const DONE = {
  role: 'role',
  disable: 'disabled',
  enable: 'enabled',
  remove: 'removed',
  let_in: 'let_in',
} as const

type Change = (
  sql: TxSql,
  call: ManagerCall,
  input: MemberChange & { role: PersonRow['role'] },
) => Promise<PersonRow>

const CHANGES: { readonly [Move in Exclude<MemberMove, 'let_in'>]: Change } = {
  role: (sql, call, input) => changeMemberRole(sql, worldOf(call), input),
  disable: (sql, call, input) => disableMember(sql, worldOf(call), input),
  enable: (sql, call, input) => enableMember(sql, worldOf(call), input),
  remove: (sql, call, input) => removeFromTenant(sql, worldOf(call), input),
}

function worldOf({ services, request }: ManagerCall) {
  return { seal: services.seal, now: request.admittedAtMs }
}
