// Invitations of people: who was asked to come, and did they?
import type { Invitation } from '../../../client/generated.ts'
import { html, url } from '../../../shared/html.ts'
import type { PersonRole } from '../../../shared/schemas/person.ts'
import { list } from '../list.ts'
import { action, call, type Form, type Problem, page, type Shown, type Visit } from '../page.ts'
import { facts } from '../parts/facts.ts'
import { confirmed, field, form, select } from '../parts/form.ts'
import { idLink } from '../parts/id.ts'
import { seconds } from '../parts/moment.ts'
import { panelError, section } from '../parts/panel.ts'
import { ROLE_OPTIONS, ROLE_RIGHTS, roleText } from '../parts/roles.ts'
import { linkOnce } from '../parts/secret.ts'
import { tag } from '../parts/tag.ts'

export const invitations = list({
  path: '/invitations',
  title: 'Invitations',
  menu: { group: 'Settings', label: 'Invitations' },
  operation: 'listInvitations',
  filters: [
    {
      name: 'status',
      label: 'Status',
      options: ['pending', 'accepted', 'revoked', 'expired'],
    },
  ],
  columns: [
    { label: 'Address', cell: ({ email }) => email },
    { label: 'Role', cell: ({ role }) => role },
    { label: 'Status', cell: ({ status }) => tag(status) },
    { label: 'Until', cell: ({ expires_at: end }) => seconds(end) },
    { label: 'Made', cell: ({ created }) => seconds(created) },
  ],
  href: ({ id }) => '/invitations/' + id,
  empty: 'Nobody was invited yet. An invitation is a link by mail, for one address and one role.',
  create: { path: '/invitations/new', label: 'Invite a person', operation: 'createInvitation' },
})

function newForm(at: Visit, sent: Form | null, problem: Problem | null): Shown {
  const value = (name: string): string => sent?.(name) ?? ''
  const fields = html`${field({ name: 'email', label: 'Address to invite', type: 'email', max: 254, required: true, value: value('email') })}
${select({ name: 'role', label: 'Role', hint: 'in sandbox and live alike', value: value('role') || 'analyst', options: ROLE_OPTIONS })}${ROLE_RIGHTS}`
  return {
    title: 'Invite a person',
    status: problem === null ? 200 : problem.status || 200,
    content: html`<header class="head"><h1>Invite a person</h1><p>By a one-time link, for seven days, for this address alone.</p></header><section class="panel narrow">${form(
      { action: at.to('/invitations/new'), fields, button: { label: 'Invite' }, problem },
    )}</section>`,
  }
}

export const newInvitation = page({
  path: '/invitations/new',
  title: 'Invite a person',
  operations: ['createInvitation'],
  view: (at) => newForm(at, null, null),
})

export const invitation = page({
  path: '/invitations/:id',
  title: 'Invitation',
  operations: ['getInvitation'],
  view: (at) => invitationView(at, null),
})

async function invitationView(at: Visit, problem: Problem | null): Promise<Shown> {
  const of = await at.need(call('getInvitation', { id: at.params['id'] ?? '' }))
  const path = at.to('/invitations/' + of.id)
  const isOpen = of.status === 'pending' || of.status === 'expired'
  const moves = html`${
    isOpen && at.may('resendInvitation')
      ? confirmed({
          ...{ id: 'resend', action: path + '/resend', button: { label: 'Send again' } },
          title: 'Send the invitation again?',
          text: 'Another link goes out, and the one of before ends.',
        })
      : null
  }${
    isOpen && at.may('revokeInvitation')
      ? confirmed({
          ...{ id: 'revoke', action: path + '/revoke' },
          button: { label: 'Revoke', mood: 'danger' },
          title: 'Revoke the invitation?',
          text: 'Its link ends.',
        })
      : null
  }`
  return {
    title: of.email,
    status: problem === null ? 200 : problem.status || 200,
    content: html`<header class="head"><h1>${of.email}</h1>${tag(of.status)}<span class="actions">${moves}</span></header>
${problem === null ? null : panelError(problem)}${section('Details', invitationFacts(at, of))}`,
  }
}

function invitationFacts(at: Visit, of: Invitation) {
  return facts([
    ['Id', html`<code>${of.id}</code>`],
    ['Role', roleText(of.role)],
    ['Invited by', of.invited_by === null ? 'an operator' : idLink(at, of.invited_by)],
    ['Until', seconds(of.expires_at)],
    ['Made', seconds(of.created)],
  ])
}

function sentPage(sent: Invitation & { url: string | null }, at: Visit, isRepeat: boolean): Shown {
  return {
    title: 'The invitation is sent',
    content: html`<header class="head"><h1>The invitation is sent</h1></header>${section(
      sent.email,
      html`${linkOnce(sent, isRepeat)}${invitationFacts(at, sent)}<p><a href="${url(at.to('/invitations'))}">Invitations</a></p>`,
    )}`,
  }
}

const idOf = (_sent: Form, at: Visit) => ({ id: at.params['id'] ?? '' })

export const invitationMoves = [
  action({
    path: '/invitations/new',
    label: 'Invite a person to the tenant.',
    operation: 'createInvitation',
    done: 'The invitation is sent.',
    input: (sent) => ({ email: sent('email'), role: sent('role') as PersonRole }),
    again: async (at, sent, problem) => newForm(at, sent, problem),
    shown: sentPage,
  }),
  action({
    path: '/invitations/:id/resend',
    label: 'Send an invitation again.',
    operation: 'resendInvitation',
    done: 'The invitation was sent again.',
    input: idOf,
    again: (at, _sent, problem) => invitationView(at, problem),
    shown: sentPage,
  }),
  action({
    path: '/invitations/:id/revoke',
    label: 'Revoke an invitation.',
    operation: 'revokeInvitation',
    done: 'The invitation is revoked. Its link has ended.',
    input: idOf,
    again: (at, _sent, problem) => invitationView(at, problem),
  }),
]
