// The pages on which owners and admins look after the people of their tenant.
import { type Html, html, url } from '../../../shared/html.ts'
import type { Invitation } from '../../../shared/schemas/invitation.ts'
import { PERSON_ROLES, type PersonRole } from '../../../shared/schemas/person.ts'
import type { Page } from '../../http/pages/page.ts'
import type { PersonRow } from '../people/index.ts'
import { linkNotice, roleChoice } from './members-view.ts'
import { moment } from './moment.ts'
import type { Problem, ProofForm } from './proof.ts'
import { provedForm, withPasskeys } from './proof-view.ts'
import { problemNotice } from './sign-in-view.ts'

const NOTICES = {
  invited: 'The invitation is on its way.',
  resent: 'The invitation was sent again. The link of before has ended.',
  revoked: 'The invitation is revoked. Its link has ended.',
  role: 'The role is changed.',
  disabled: 'The person is disabled.',
  enabled: 'The person is enabled again.',
  removed: 'The person belongs to this tenant no more.',
  let_in: 'A link for 24 hours is on its way to the person.',
} as const
export type PeopleNotice = keyof typeof NOTICES

/** True for the name of a notice. */
export function isPeopleNotice(text: unknown): text is PeopleNotice {
  return typeof text === 'string' && Object.hasOwn(NOTICES, text)
}

export interface PeoplePage {
  tenantId: string
  tenantName: string
  people: readonly PersonRow[]
  invitations: readonly Invitation[]
  /** Roles that this person may give. */
  roles: readonly PersonRole[]
  typed: { email: string; role: string }
  proof: ProofForm
  notice: PeopleNotice | null
  /** One-time link of a new invitation, where no mail is sent. */
  link: string | null
  problem: Problem | null
}

export function peoplePage(page: PeoplePage): Page {
  const { tenantId, tenantName, people, invitations, notice, link, problem, proof } = page
  const path = '/people/' + tenantId
  const content = html`
<header><a href="/account">Your account</a></header>
<h1>People of ${tenantName}</h1>
${notice === null ? null : html`<p class="done" role="status">${NOTICES[notice]}</p>`}
${linkNotice(link)}
${problemNotice(problem?.sentence ?? null)}
<h2>Members</h2>
<ul class="sessions">${people.map((person) => memberItem(page, person))}</ul>
<h2>Invitations</h2>
${
  invitations.length === 0
    ? html`<p>None is open.</p>`
    : html`<ul class="sessions">${invitations.map((one) => invitationItem(path, one))}</ul>`
}
<h2>Invite a person</h2>
${provedForm({ action: path + '/invitations', proof, fields: inviteFields(page), label: 'Invite' })}`
  const title = 'People of ' + tenantName
  return withPasskeys({ status: problem?.status ?? 200, title, content }, proof)
}

function memberItem({ tenantId, roles }: PeoplePage, person: PersonRow): Html {
  const { id, name, email, role, state } = person
  const path = '/people/' + tenantId + '/members/' + id
  const change = roles.includes(role)
    ? html`<a href="${url(path)}" aria-label="Change ${name}">Change</a>`
    : null
  return html`<li><div><strong>${name}</strong>
<span>${email} · ${role}</span></div>${
    state === 'active' ? null : html`<span class="badge">disabled</span>`
  }${change}</li>`
}

function inviteFields({ roles, typed }: PeoplePage): Html {
  return html`<label>Address to invite
<input name="invited" type="email" autocomplete="off" maxlength="254" required value="${typed.email}"></label>
<fieldset><legend>Role</legend>${roles.map((role) => roleChoice(role, typed.role))}</fieldset>`
}

function invitationItem(path: string, { id, email, role, status, expires_at }: Invitation): Html {
  const when = moment(expires_at * 1000)
  return html`<li><div><strong>${email}</strong>
<span>${role} · ${status === 'expired' ? 'expired' : 'until'} ${when}</span></div>
<a href="${url(path + '/invitations/' + id)}" aria-label="Change the invitation of ${email}">Change</a></li>`
}

/** The page on which an open invitation is sent again or revoked. */
export function changeInvitationPage(page: {
  path: string
  peoplePath: string
  invitation: Invitation
  move: 'resend' | 'revoke'
  proof: ProofForm
  problem: Problem | null
}): Page {
  const { path, peoplePath, invitation, move, proof, problem } = page
  const [title, text, label] = MOVES[move]
  const other = move === 'resend' ? 'revoke' : 'resend'
  const content = html`
<header><a href="${url(peoplePath)}">People</a></header>
<h1>${title}</h1>
<p class="operation">${invitation.email}, ${invitation.role}. ${text}</p>
${problemNotice(problem?.sentence ?? null)}
${provedForm({ action: path + '/' + move, proof, fields: null, label })}
<p class="note"><a href="${url(path + '?move=' + other)}">${MOVES[other][0]}</a></p>`
  return withPasskeys({ status: problem?.status ?? 200, title, content }, proof)
}

const MOVES = {
  resend: [
    'Send the invitation again',
    'Another link goes out, and the one of before ends.',
    'Send',
  ],
  revoke: ['Revoke the invitation', 'Its link ends.', 'Revoke'],
} as const

/** Roles in the order of their rights. */
export const ROLES_IN_ORDER: readonly PersonRole[] = PERSON_ROLES
