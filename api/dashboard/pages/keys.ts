// API keys: which is old, which is used?
import type { ApiKey } from '../../../client/generated.ts'
import { type Html, html } from '../../../shared/html.ts'
import { list } from '../list.ts'
import { action, call, type Form, type Problem, page, type Shown, type Visit } from '../page.ts'
import { code } from '../parts/code.ts'
import { facts, ifAny, ownFacts } from '../parts/facts.ts'
import { area, buttonForm, confirmed, field, form, select } from '../parts/form.ts'
import { idLink } from '../parts/id.ts'
import { seconds } from '../parts/moment.ts'
import { notice, panel, section } from '../parts/panel.ts'
import { secretOnce } from '../parts/secret.ts'
import { tag } from '../parts/tag.ts'
import { KEYS_DRAWN, lastUses, nameOf } from './key-uses.ts'

export const keys = list({
  path: '/keys',
  title: 'API keys',
  menu: { group: 'Developers', label: 'API keys' },
  operation: 'listApiKeys',
  filters: [
    { name: 'status', label: 'Status', options: ['active', 'pending', 'revoked'] },
    { name: 'role', label: 'Role', options: ['secret', 'publishable'] },
  ],
  columns: [
    { label: 'Name', cell: nameOf, text: ({ name, id }) => name || id },
    { label: 'Key', cell: ({ prefix, last4 }) => html`<code>${prefix}…${last4}</code>` },
    { label: 'Scope', cell: ({ role, scope }) => (role === 'secret' ? scope : role) },
    { label: 'Status', cell: ({ status }) => tag(status) },
    { label: 'Last used', cell: ({ last_used_at: at }) => (at === null ? 'never' : seconds(at)) },
    { label: 'Ends', cell: ({ expires_at: at }) => (at === null ? null : seconds(at)) },
    { label: 'Made', cell: ({ created }) => seconds(created) },
  ],
  href: ({ id }) => '/keys/' + id,
  async above(at) {
    const input = { status: 'active', limit: KEYS_DRAWN } as const
    const { active } = await at.ask({ active: call('listApiKeys', input) })
    if (active.ok && active.value.data.length === 0) return null
    return panel('Last uses', active, (of) => lastUses(at, of))
  },
  empty: 'There is no key yet. Your server needs one to call the API.',
  create: { path: '/keys/new', label: 'Make a key', operation: 'createApiKey' },
})

const ROLES = [
  ['secret', 'secret: for a server'],
  ['publishable', 'publishable: for a web page or an app'],
] as const
const SCOPES = [
  ['read', 'read'],
  ['write', 'write: read and change'],
  ['admin', 'admin: everything'],
] as const

const DAYS = [30, 90, 365]

/** Ends that are offered, in Unix seconds. */
function endsFrom(now: number): (readonly [string, string])[] {
  const today = Math.floor(now / 1000)
  return [
    ['', 'never'],
    ...DAYS.map((days) => [String(today + days * 86_400), 'in ' + days + ' days'] as const),
  ]
}

function newForm(at: Visit, sent: Form | null, problem: Problem | null): Shown {
  const value = (name: string): string => sent?.(name) ?? ''
  const fields = html`${field({ name: 'name', label: 'Name', value: value('name'), required: true, max: 100 })}
${select({ name: 'role', label: 'Role', value: value('role'), options: ROLES })}
${select({ name: 'scope', label: 'Scope', hint: 'of a secret key', value: value('scope'), options: SCOPES })}
${area({ name: 'cidrs', label: 'Address ranges', hint: 'one a line; none: from anywhere', value: value('cidrs'), rows: 3 })}
${select({ name: 'ends', label: 'Ends', value: value('ends'), options: endsFrom(at.now) })}`
  return {
    title: 'Make an API key',
    status: problem === null ? 200 : 422,
    content: html`<header class="head"><h1>Make an API key</h1><p>It works in ${at.environment === 'live' ? 'live' : 'the sandbox'} only. Its secret is shown once.</p></header><section class="panel narrow">${form(
      { action: at.to('/keys/new'), fields, button: { label: 'Make the key' }, problem },
    )}</section>`,
  }
}

export const newKey = page({
  path: '/keys/new',
  title: 'Make an API key',
  operations: ['createApiKey'],
  view: (at) => newForm(at, null, null),
})

export const makeKey = action({
  path: '/keys/new',
  label: 'Make an API key.',
  operation: 'createApiKey',
  done: 'The key is made.',
  input: (form) => ({
    name: form('name'),
    role: form('role') as 'secret',
    ...(form('role') === 'publishable' ? {} : { scope: form('scope') as 'read' }),
    cidrs: form('cidrs')
      .split(/[\s,]+/)
      .filter((range) => range !== ''),
    ...(form('ends') === '' ? {} : { expires_at: Number(form('ends')) }),
  }),
  again: async (at, form, problem) => newForm(at, form, problem),
  shown: (made, at, isRepeat) => ({
    title: 'The key is made',
    status: 201,
    content: html`<header class="head"><h1>The key is made</h1></header>
${section(made.name, html`${secretOnce(made.secret, isRepeat)}${keyFacts(at, made)}`)}
${section('Try it', code('curl ' + at.apiUrl + '/v1/account -H "Authorization: Bearer $SVC_KEY"', 'A first call'))}`,
  }),
})

function endOf({ revokes_at: grace, expires_at: end }: ApiKey): Html | null {
  const ends = [grace, end].filter((at) => at !== null)
  return ends.length === 0 ? null : seconds(Math.min(...ends))
}

function keyFacts(at: Visit, of: ApiKey): Html {
  return facts([
    ['Id', html`<code>${of.id}</code>`],
    ['Key', html`<code>${of.prefix}…${of.last4}</code>`],
    ['Role and scope', of.role + ', ' + of.scope],
    ['Addresses', of.cidrs.length === 0 ? 'from anywhere' : of.cidrs.join(', ')],
    ['Made', seconds(of.created)],
    ['Made by', idLink(at, of.created_by)],
    ['Last used', of.last_used_at === null ? 'never' : seconds(of.last_used_at)],
    ...ifAny('Last used from', of.last_used_ip),
    ['Ends', endOf(of) ?? 'never'],
    ...ifAny('Revoked', of.revoked_at === null ? null : seconds(of.revoked_at)),
    ...ownFacts(of),
  ])
}

export const key = page({
  path: '/keys/:id',
  title: 'API key',
  operations: ['getApiKey'],
  async view(at) {
    const of = await at.need(call('getApiKey', { id: at.params['id'] ?? '' }))
    const path = at.to('/keys/' + of.id)
    const isOpen = of.status !== 'revoked'
    const moves = html`${
      of.status === 'active' && at.may('markPendingApiKey')
        ? buttonForm(path + '/mark_pending', { label: 'Revoke with grace', mood: 'plain' })
        : null
    }${
      isOpen && at.may('revokeApiKey')
        ? confirmed({
            ...{
              id: 'revoke',
              action: path + '/revoke',
              button: { label: 'Revoke now', mood: 'danger' },
            },
            title: 'Revoke this key?',
            text: 'Every call with it is refused from the next second on. This cannot be undone.',
          })
        : null
    }`
    const seen =
      of.browser_sightings.length === 0 || of.role === 'publishable'
        ? null
        : notice(
            'bad',
            html`This secret key was sent by web pages: ${of.browser_sightings.map(({ origin, count }) => html`<code>${origin}</code> (${count}) `)}. Strangers have it. Revoke it.`,
          )
    return {
      title: of.name,
      content: html`<header class="head"><h1>${of.name === '' ? 'API key' : of.name}</h1>${tag(of.status)}<span class="actions">${moves}</span></header>${seen}${section('Details', keyFacts(at, of))}`,
    }
  },
})

export const keyMoves = [
  action({
    path: '/keys/:id/mark_pending',
    label: 'Revoke the key after its grace.',
    operation: 'markPendingApiKey',
    done: 'The key works until its grace is over.',
    input: (_form, at) => ({ id: at.params['id'] ?? '' }),
  }),
  action({
    path: '/keys/:id/revoke',
    label: 'Revoke the key at once.',
    operation: 'revokeApiKey',
    done: 'The key is revoked.',
    input: (_form, at) => ({ id: at.params['id'] ?? '' }),
  }),
]
