// Settlement accounts: to which addresses is the tenant paid?
import type { SettlementAccount } from '../../../client/generated.ts'
import { type Html, html } from '../../../shared/html.ts'
import { list } from '../list.ts'
import { action, call, page } from '../page.ts'
import { categoryText } from '../parts/category.ts'
import { facts, ownFacts } from '../parts/facts.ts'
import { confirmed } from '../parts/form.ts'
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

export const settlementAccountMoves = [
  action({
    path: '/settlement_accounts/:id/disable',
    label: 'Disable the settlement account for ever.',
    operation: 'disableSettlementAccount',
    done: 'The account is disabled.',
    input: (_form, at) => ({ id: at.params['id'] ?? '' }),
  }),
]
