// People: who may do what, and how is that changed?
import type { Person } from '../../../client/generated.ts'
import { type Html, html, url } from '../../../shared/html.ts'
import { PERSON_ROLES, type PersonRole } from '../../../shared/schemas/person.ts'
import { list } from '../list.ts'
import { action, call, type Form, type Problem, page, type Shown, type Visit } from '../page.ts'
import { facts } from '../parts/facts.ts'
import { confirmed, form, select } from '../parts/form.ts'
import { seconds } from '../parts/moment.ts'
import { panelError, section } from '../parts/panel.ts'
import { ROLE_OPTIONS, ROLE_RIGHTS, roleText } from '../parts/roles.ts'
import { linkOnce } from '../parts/secret.ts'
import { tag } from '../parts/tag.ts'

export const people = list({
  path: '/people',
  title: 'People',
  menu: { group: 'Settings', label: 'People' },
  operation: 'listPeople',
  filters: [
    { name: 'status', label: 'Status', options: ['active', 'disabled'] },
    { name: 'role', label: 'Role', options: [...PERSON_ROLES] },
  ],
  columns: [
    { label: 'Name', cell: ({ name }) => name },
    { label: 'Email', cell: ({ email }) => email },
    { label: 'Role', cell: ({ role }) => role },
    { label: 'Status', cell: ({ status }) => tag(status) },
    { label: 'Since', cell: ({ created }) => seconds(created) },
  ],
  href: ({ id }) => '/people/' + id,
  empty: 'Nobody belongs to this tenant. A person does after accepting an invitation.',
  create: { path: '/invitations/new', label: 'Invite a person', operation: 'createInvitation' },
  above: (at) =>
    at.may('listInvitations')
      ? html`<p><a href="${url(at.to('/invitations'))}">Invitations</a></p>`
      : null,
})

export const person = page({
  path: '/people/:id',
  title: 'Person',
  operations: ['getPerson'],
  view: (at) => personView(at, null),
})

async function personView(at: Visit, problem: Problem | null): Promise<Shown> {
  const of = await at.need(call('getPerson', { id: at.params['id'] ?? '' }))
  return {
    title: of.name,
    status: problem === null ? 200 : problem.status || 200,
    content: html`<header class="head"><h1>${of.name}</h1>${tag(of.status)}<span class="actions">${movesOf(at, of)}</span></header>
${problem === null ? null : panelError(problem)}<div class="grid">${section(
      'Details',
      facts([
        ['Id', html`<code>${of.id}</code>`],
        ['Email', of.email],
        ['Role', roleText(of.role)],
        ['Since', seconds(of.created)],
      ]),
    )}${
      at.may('updatePerson')
        ? section(
            'Change the role',
            html`<p class="soft">The new role holds at once, wherever the person is signed in, in sandbox and live.</p>${form(
              {
                action: at.to('/people/' + of.id + '/role'),
                fields: html`${select({
                  ...{ name: 'role', label: 'Role', value: of.role },
                  options: ROLE_OPTIONS,
                })}${ROLE_RIGHTS}`,
                button: { label: 'Change the role' },
              },
            )}`,
          )
        : null
    }</div>`,
  }
}

function movesOf(at: Visit, of: Person): Html {
  const path = at.to('/people/' + of.id)
  const isActive = of.status === 'active'
  return html`${
    isActive && of.id !== at.member.personId && at.may('letInPerson')
      ? confirmed({
          ...{ id: 'let-in', action: path + '/let_in', button: { label: 'Let in again' } },
          title: 'Let ' + of.name + ' in again?',
          text: 'For a person who lost passkeys, authenticator and recovery codes: a link for 24 hours, with which they choose another password. Be sure that it is them who asked.',
        })
      : null
  }${
    isActive && at.may('disablePerson')
      ? confirmed({
          ...{ id: 'disable', action: path + '/disable', button: { label: 'Disable' } },
          title: 'Disable ' + of.name + '?',
          text: 'The person does nothing for this tenant until you enable them again.',
        })
      : null
  }${
    !isActive && at.may('enablePerson')
      ? confirmed({
          ...{ id: 'enable', action: path + '/enable', button: { label: 'Enable' } },
          title: 'Enable ' + of.name + '?',
          text: 'The person comes back with the role of before.',
        })
      : null
  }${
    at.may('removePerson')
      ? confirmed({
          ...{ id: 'remove', action: path + '/remove' },
          button: { label: 'Remove', mood: 'danger' },
          title: 'Remove ' + of.name + '?',
          text: 'The person belongs to this tenant no more. An invitation brings them back.',
        })
      : null
  }`
}

const idOf = (_sent: Form, at: Visit) => ({ id: at.params['id'] ?? '' })
const again = (at: Visit, _sent: Form, problem: Problem): Promise<Shown> => personView(at, problem)

export const personMoves = [
  action({
    path: '/people/:id/role',
    label: 'Change the role of a person.',
    operation: 'updatePerson',
    done: 'The role is changed.',
    input: (sent, at) => ({ id: at.params['id'] ?? '', role: sent('role') as PersonRole }),
    again,
  }),
  action({
    path: '/people/:id/disable',
    label: 'Disable a person.',
    operation: 'disablePerson',
    done: 'The person is disabled.',
    input: idOf,
    again,
  }),
  action({
    path: '/people/:id/enable',
    label: 'Enable a person.',
    operation: 'enablePerson',
    done: 'The person is enabled again.',
    input: idOf,
    again,
  }),
  action({
    path: '/people/:id/remove',
    label: 'Remove a person from the tenant.',
    operation: 'removePerson',
    done: 'The person belongs to this tenant no more.',
    input: idOf,
    next: () => '/people',
    again,
  }),
  action({
    path: '/people/:id/let_in',
    label: 'Let a person in again without their second factors.',
    operation: 'letInPerson',
    done: 'The link is made.',
    input: idOf,
    again,
    shown: (sent, at, isRepeat) => ({
      title: 'The link is made',
      content: html`<header class="head"><h1>The link is made</h1></header>${section(
        sent.name,
        html`${linkOnce(sent, isRepeat)}${facts([
          ['Address', sent.email],
          ['Works until', seconds(sent.expires_at)],
        ])}<p><a href="${url(at.to('/people'))}">People</a></p>`,
      )}`,
    }),
  }),
]
