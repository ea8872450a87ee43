// Settlement accounts: to which addresses is the tenant paid?
import type { SettlementAccount } from '../../../client/generated.ts'
import { type Html, html } from '../../../shared/html.ts'
import { list } from '../list.ts'
import { action, call, type Form, type Problem, page, type Shown, type Visit } from '../page.ts'
import { categoryText } from '../parts/category.ts'
import { facts, ownFacts } from '../parts/facts.ts'
import { confirmed, field, form, type Option, select } from '../parts/form.ts'
import { moment, seconds } from '../parts/moment.ts'
import { listLink, section } from '../parts/panel.ts'
import { tag } from '../parts/tag.ts'

export const settlementAccounts = list({
  path: '/settlement_accounts',
  title: 'Settlement accounts',
  menu: { group: 'Money', label: 'Settlement accounts' },
  operation: 'listSettlementAccounts',
  columns: [
    { label: 'Name', cell: ({ name }) => name },
    { label: 'Status', cell: ({ status }) => statusTag(status) },
    {
      label: 'Address',
      cell: ({ address }) => html`<code>${address.slice(0, 8)}…${address.slice(-6)}</code>`,
      text: ({ address }) => address,
    },
    { label: 'Paid out', cell: ({ schedule }) => schedule.interval },
    { label: 'Fee', isNumber: true, cell: ({ fee_bps: fee }) => percent(fee) },
    { label: 'Made', cell: ({ created }) => seconds(created) },
  ],
  href: ({ id }) => '/settlement_accounts/' + id,
  empty: 'No account receives settlements yet. Captures are paid out to the address of one.',
  create: {
    ...{ path: '/settlement_accounts/new', label: 'Add a settlement account' },
    operation: 'createSettlementAccount',
  },
})

function statusTag(status: SettlementAccount['status']): Html {
  return tag(status, status === 'usable' ? 'good' : 'warn')
}

function percent(bps: number): string {
  return bps / 100 + ' %'
}

function paidOut({ interval, hour }: SettlementAccount['schedule']): string {
  return interval === 'daily' ? `daily at ${hour}:00 UTC` : interval
}

export const settlementAccount = page({
  path: '/settlement_accounts/:id',
  title: 'Settlement account',
  operations: ['getSettlementAccount'],
  async view(at) {
    const of = await at.need(call('getSettlementAccount', { id: at.params['id'] ?? '' }))
    const disable =
      of.status !== 'disabled' && at.may('disableSettlementAccount')
        ? confirmed({
            ...{ id: 'disable', action: at.to('/settlement_accounts/' + of.id + '/disable') },
            button: { label: 'Disable', mood: 'danger' },
            title: 'Disable this account?',
            text: 'No new payment can name it. Approved payments are still paid to it. This cannot be undone.',
          })
        : null
    return {
      title: of.name,
      content: html`<header class="head"><h1>${of.name}</h1>${statusTag(of.status)}<span class="actions">${disable}</span><p><code>${of.id}</code></p></header>${section(
        'Details',
        facts([
          ['Address', html`<code>${of.address}</code>`],
          ['Chain', of.chain_id],
          ['Usable from', moment(of.usable_at)],
          ['Paid out', paidOut(of.schedule)],
          ['Fee', percent(of.fee_bps)],
          ['Category and country', categoryText(of.mcc) + ', ' + of.country],
          ['Made', seconds(of.created)],
          ...ownFacts(of),
        ]),
        html`<span class="actions">${listLink(at, '/payments?settlement_account_id=' + of.id, 'Its payments')}${listLink(at, '/settlements?settlement_account_id=' + of.id, 'Its settlements')}</span>`,
      )}`,
    }
  },
})

const HOURS: readonly Option[] = Array.from({ length: 24 }, (_, hour) => [
  String(hour),
  String(hour).padStart(2, '0') + ':00 UTC',
])

function newForm(at: Visit, sent: Form | null, problem: Problem | null): Shown {
  const value = (name: string): string => sent?.(name) ?? ''
  const title = 'Add a settlement account'
  const wait =
    at.environment === 'live'
      ? ' Payments may name it a day later.'
      : ' Payments may name it at once.'
  const fields = html`${field({ name: 'address', label: 'Address on the chain', hint: 'with its capitals', value: value('address'), placeholder: '0x…', max: 42, required: true })}${field({ name: 'name', label: 'Name', hint: 'payers read it before they approve', value: value('name'), max: 100, required: true })}<div class="pair">${field({ name: 'mcc', label: 'Category', hint: 'four digits', value: value('mcc'), max: 4, required: true })}${field({ name: 'country', label: 'Country', hint: 'two letters', value: value('country'), max: 2, required: true })}</div><div class="pair">${select(
    {
      ...{ name: 'interval', label: 'Paid out', value: value('interval') },
      options: [
        ['continuous', 'continuously'],
        ['daily', 'daily'],
      ],
    },
  )}${select({ name: 'hour', label: 'At', hint: 'if daily', value: value('hour'), options: HOURS })}</div>${field({ name: 'external_id', label: 'External id', hint: 'optional', value: value('external_id') })}`
  return {
    title,
    status: problem === null ? 200 : 422,
    content: html`<header class="head"><h1>${title}</h1><p>Captured payments are paid to its address.${wait}</p></header><section class="panel narrow">${form({ action: at.to('/settlement_accounts/new'), fields, button: { label: 'Add the settlement account' }, problem })}</section>`,
  }
}

export const newSettlementAccount = page({
  path: '/settlement_accounts/new',
  title: 'Add a settlement account',
  operations: ['createSettlementAccount'],
  view: (at) => newForm(at, null, null),
})

export const settlementAccountMoves = [
  action({
    path: '/settlement_accounts/new',
    label: 'Add an address to which captured payments are paid.',
    operation: 'createSettlementAccount',
    done: 'The settlement account is added.',
    input: (sent) => ({
      ...{ address: sent('address'), name: sent('name'), mcc: sent('mcc') },
      country: sent('country').toUpperCase(),
      schedule:
        sent('interval') === 'daily'
          ? { interval: 'daily' as const, hour: Number(sent('hour')) }
          : { interval: 'continuous' as const },
      ...(sent('external_id') === '' ? {} : { external_id: sent('external_id') }),
    }),
    next: (made) => '/settlement_accounts/' + made.id,
    again: async (at, sent, problem) => newForm(at, sent, problem),
  }),
  action({
    path: '/settlement_accounts/:id/disable',
    label: 'Disable the settlement account for ever.',
    operation: 'disableSettlementAccount',
    done: 'The account is disabled.',
    input: (_form, at) => ({ id: at.params['id'] ?? '' }),
  }),
]
