// Settings of a tenant: audit log, connections, account.
import { html, url } from '../../../shared/html.ts'
import { list } from '../list.ts'
import { action, call, page } from '../page.ts'
import { chainNotice, checkedFrom } from '../parts/chain.ts'
import { facts, ifAny } from '../parts/facts.ts'
import { figures } from '../parts/figure.ts'
import { confirmed, form, select } from '../parts/form.ts'
import { idLink } from '../parts/id.ts'
import { seconds } from '../parts/moment.ts'
import { countText } from '../parts/money.ts'
import { namesOf } from '../parts/names.ts'
import { section } from '../parts/panel.ts'
import { tag, titled, wordsOf } from '../parts/tag.ts'

export const connections = list({
  path: '/connections',
  title: 'Connections',
  menu: { group: 'Developers', label: 'Connections' },
  operation: 'listOauthGrants',
  filters: [{ name: 'status', label: 'Status', options: ['active', 'revoked'] }],
  columns: [
    { label: 'Platform', cell: ({ client }) => client.name },
    { label: 'Status', cell: ({ status }) => tag(status) },
    { label: 'May', cell: ({ scopes }) => scopes.join(', ') },
    { label: 'Connected', cell: ({ created }) => seconds(created) },
    { label: 'Ended', cell: ({ revoked_at: end }) => seconds(end) },
  ],
  href: ({ id }) => '/connections/' + id,
  empty:
    'No platform acts for you. One may as soon as a person of yours agrees on our consent page.',
})

export const connection = page({
  path: '/connections/:id',
  title: 'Connection',
  operations: ['getOauthGrant'],
  async view(at) {
    const of = await at.need(call('getOauthGrant', { id: at.params['id'] ?? '' }))
    const end =
      of.status === 'active' && at.may('revokeOauthGrant')
        ? confirmed({
            ...{
              id: 'revoke',
              action: at.to('/connections/' + of.id + '/revoke'),
              button: { label: 'End', mood: 'danger' },
            },
            title: 'End this connection?',
            text: of.client.name + ' can call nothing for you any more.',
          })
        : null
    const named = await namesOf(at, [of.granted_by])
    return {
      title: of.client.name,
      content: html`<header class="head"><h1>${of.client.name}</h1>${tag(of.status)}<span class="actions">${end}</span></header>${section(
        'Details',
        facts([
          ['May', of.scopes.join(', ')],
          ['Connected by', html`${named(of.granted_by)} (${wordsOf(of.granted_by_status)})`],
          ['Connected', seconds(of.created)],
          ...ifAny('Ended', of.revoked_at === null ? null : seconds(of.revoked_at)),
          ...ifAny('Because', of.revoke_reason === null ? null : wordsOf(of.revoke_reason)),
        ]),
      )}`,
    }
  },
})

export const auditLog = list({
  path: '/audit',
  title: 'Audit log',
  menu: { group: 'Settings', label: 'Audit log' },
  operation: 'listAuditLog',
  filters: [
    { name: 'action', label: 'Action' },
    { name: 'actor', label: 'Actor id' },
    { name: 'resource_id', label: 'Resource id' },
    { name: 'created[gte]', label: 'Since', placeholder: '2026-11-26' },
    { name: 'created[lte]', label: 'Until', placeholder: '2026-11-26' },
  ],
  columns: [
    { label: 'Action', cell: ({ action: done }) => html`<code>${done}</code>` },
    {
      label: 'By',
      cell: ({ actor }) => html`<span class="nowrap">${wordsOf(actor.type)}</span>`,
    },
    { label: 'Name', id: ({ actor }) => actor.id },
    { label: 'Resource', cell: ({ resource_id: id }, at) => idLink(at, id) },
    { label: 'From', cell: ({ address }) => address },
    { label: 'Row', isNumber: true, cell: ({ seq }) => seq },
    { label: 'Time', cell: ({ created }) => seconds(created) },
  ],
  empty:
    'Nobody changed anything yet. Each change becomes a row, with the person or key that made it.',
  async above(at) {
    const { newest } = await at.ask({ newest: call('listAuditLog', { limit: 1 }) })
    const from = checkedFrom(at.query, newest.ok ? (newest.value.data[0]?.seq ?? 0) : 0)
    const { verified } = await at.ask({ verified: call('verifyAuditLog', { from }) })
    return chainNotice(verified, { from, path: at.to('/audit') })
  },
})

export const account = page({
  path: '/account',
  title: 'Account',
  menu: { group: 'Settings', label: 'Account' },
  operations: ['getAccount'],
  async view(at) {
    const of = await at.need(call('getAccount', {}))
    const limits = Object.entries(of.rate_limits.buckets)
    const versions = of.api_versions.map((one) => [one, one] as const)
    return {
      title: 'Account',
      content: html`<header class="head"><h1>${of.name}</h1>${tag(of.status)}<p><code>${of.id}</code></p></header>
${figures([
  {
    label: 'Verification of the business',
    value: of.kyb_status === 'pending' ? 'not applied for' : wordsOf(of.kyb_status),
    note: of.kyb_status === 'approved' ? 'live is open' : 'live keys need it',
  },
  { label: 'API version', value: of.api_version },
  { label: 'Real time', value: of.entitlements.realtime ? 'granted' : 'not granted' },
  { label: 'Payments', value: of.entitlements.payments ? 'granted' : 'not granted' },
])}<div class="grid"><div class="stack">${section('Calls per minute', facts(limits.map(([bucket, most]) => [titled(bucket), countText(most)] as const)))}</div><div class="stack">
${at.may('updateAccount') ? section('API version', form({ action: at.to('/account/version'), fields: select({ name: 'api_version', label: 'Pinned version', value: of.api_version, options: versions }), button: { label: 'Pin' } })) : null}
${section('Going live', html`<p>${of.kyb_status === 'approved' ? 'The business is verified.' : 'Live opens when an operator has verified the business.'}</p>${at.may('getAccountKyb') ? html`<p><a href="${url(at.to('/going_live'))}">${of.kyb_status === 'pending' ? 'Apply for live' : 'See the application'}</a></p>` : null}`)}</div></div>`,
    }
  },
})

export const settingMoves = [
  action({
    path: '/connections/:id/revoke',
    label: 'End the connection.',
    operation: 'revokeOauthGrant',
    done: 'The connection is ended.',
    input: (_sent, at) => ({ id: at.params['id'] ?? '' }),
  }),
  action({
    path: '/account/version',
    label: 'Pin the API version.',
    operation: 'updateAccount',
    done: 'The version is pinned.',
    input: (sent) => ({ api_version: sent('api_version') as '2026-12-01' }),
  }),
]
