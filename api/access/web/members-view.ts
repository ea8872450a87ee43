// The page of one member of a tenant.
import { type Html, html, url } from '../../../shared/html.ts'
import type { PersonRole } from '../../../shared/schemas/person.ts'
import type { Page } from '../../http/pages/page.ts'
import type { PersonRow } from '../people/index.ts'
import { ROLE_TEXTS } from './links-view.ts'
import type { Problem, ProofForm } from './proof.ts'
import { provedForm, withPasskeys } from './proof-view.ts'
import { problemNotice } from './sign-in-view.ts'

/** Changes of a member, as the paths name them. */
export const MOVES = ['role', 'disable', 'enable', 'remove', 'let_in'] as const
export type MemberMove = (typeof MOVES)[number]

/** True for the name of a change. */
export function isMemberMove(text: unknown): text is MemberMove {
  return MOVES.some((move) => move === text)
}

const TEXTS: { readonly [Move in MemberMove]: { title: string; text: string; label: string } } = {
  role: {
    title: 'Change the role',
    text: 'The new role holds at once, wherever the person is signed in.',
    label: 'Change the role',
  },
  disable: {
    title: 'Disable the person',
    text: 'The person does nothing for this tenant until you enable them again.',
    label: 'Disable',
  },
  enable: {
    title: 'Enable the person',
    text: 'The person comes back with the role of before.',
    label: 'Enable',
  },
  remove: {
    title: 'Remove from the tenant',
    text: 'The person belongs to this tenant no more. An invitation brings them back.',
    label: 'Remove',
  },
  let_in: {
    title: 'Let in again',
    text: 'For a person who lost passkeys, authenticator and recovery codes: a link for 24 hours, with which they choose another password. Be sure that it is them who asked.',
    label: 'Send the link',
  },
}

export interface MemberPage {
  peoplePath: string
  person: PersonRow
  /** The page is about the person who sees it. */
  isOwn: boolean
  move: MemberMove
  /** Roles that this owner or admin may give. */
  roles: readonly PersonRole[]
  chosen: string
  proof: ProofForm
  /** One-time link of the member, where no mail is sent. */
  link: string | null
  problem: Problem | null
}

export function memberPage(page: MemberPage): Page {
  const { peoplePath, person, move, proof, link, problem } = page
  const { title, text, label } = TEXTS[move]
  const path = peoplePath + '/members/' + person.id
  const content = html`
<header><a href="${url(peoplePath)}">People</a></header>
<h1>${title}</h1>
<dl class="facts">
<div><dt>Person</dt><dd>${person.name}</dd></div>
<div><dt>Address</dt><dd>${person.email}</dd></div>
<div><dt>Role</dt><dd>${person.role}: ${ROLE_TEXTS[person.role]}</dd></div>
<div><dt>State</dt><dd>${person.state}</dd></div>
</dl>
<p class="operation">${text}</p>
${linkNotice(link)}
${problemNotice(problem?.sentence ?? null)}
${provedForm({ action: path + '/' + move, proof, fields: move === 'role' ? roleFields(page) : null, label })}
<h2>Other changes</h2>
<ul class="links">${otherMoves(page).map(
    (other) => html`<li><a href="${url(path + '?move=' + other)}">${TEXTS[other].title}</a></li>`,
  )}</ul>`
  return withPasskeys({ status: problem?.status ?? 200, title, content }, proof)
}

/** A one-time link that this page alone shows. */
export function linkNotice(link: string | null): Html | null {
  if (link === null) return null
  return html`<p class="done" role="status">Give this link to the person. It is shown this once: <code>${link}</code></p>`
}

function otherMoves({ person, isOwn, move }: MemberPage): MemberMove[] {
  const isActive = person.state === 'active'
  return MOVES.filter((other) => {
    if (other === move) return false
    if (other === 'let_in') return isActive && !isOwn
    if (other === 'disable') return isActive
    return other !== 'enable' || !isActive
  })
}

function roleFields({ roles, chosen }: MemberPage): Html {
  return html`<fieldset><legend>Role</legend>${roles.map((role) => roleChoice(role, chosen))}</fieldset>`
}

/** One role of a choice, with its rights in a few words. */
export function roleChoice(role: PersonRole, chosen: string): Html {
  const words = html`<strong>${role}</strong> <span>${ROLE_TEXTS[role]}</span>`
  return role === chosen
    ? html`<label class="choice"><input type="radio" name="role" value="${role}" required checked>${words}</label>`
    : html`<label class="choice"><input type="radio" name="role" value="${role}" required>${words}</label>`
}
