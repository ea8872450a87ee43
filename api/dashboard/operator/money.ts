// Money that stands still, for operators: failed settlements with their chains, withdrawals of
// holders, and differences to the payment processor.
import { type Html, html } from '../../../shared/html.ts'
import type { BillingException } from '../../../shared/schemas/billing-exception.ts'
import type { ChainLine } from '../../../shared/schemas/chain-line.ts'
import {
  PAYMENT_WITHDRAWAL_STATUSES,
  type PaymentWithdrawalOfTenant,
} from '../../../shared/schemas/payment-withdrawal.ts'
import type { SettlementBatch } from '../../../shared/schemas/settlement-batch.ts'
import type { Outcome } from '../page.ts'
import { facts } from '../parts/facts.ts'
import { seconds } from '../parts/moment.ts'
import { moneyText } from '../parts/money.ts'
import { notice, panelError, section } from '../parts/panel.ts'
import { tag, wordsOf } from '../parts/tag.ts'
import { type Desk, read } from './desk.ts'
import { deskList, move, shortId } from './list.ts'

export const settlements = deskList<SettlementBatch>({
  ...{ path: '/operator/settlements', title: 'Failed settlements', menu: 'Failed settlements' },
  of: '/settlement_batches',
  before: chains,
  columns: [
    { label: 'Batch', cell: ({ id }) => shortId(id) },
    { label: 'Status', cell: ({ status }) => tag(status) },
    { label: 'Net', isNumber: true, cell: ({ net_cents: net }) => moneyText(net, 'USD') },
    { label: 'In', cell: ({ livemode }) => (livemode ? 'live' : 'sandbox') },
    { label: 'Failure', cell: ({ failure }) => (failure === null ? null : wordsOf(failure.code)) },
    { label: 'Since', cell: ({ created }) => seconds(created) },
    { label: 'Actions', isActions: true, cell: ({ id }) => move('retry_batch', id) },
  ],
  empty: 'No failed batch waits for a review. A batch that the chain refuses for good does.',
  first: null,
  actions: html`${move('retry_payment')}${move('abandon_payment')}${move('cancel_batch')}`,
})

async function chains(desk: Desk): Promise<Html> {
  const [live, sandbox] = await Promise.all(
    ['live', 'sandbox'].map((name) => read<ChainLine>(desk, '/operator/v1/chains/' + name)),
  )
  const panels = [
    live === undefined ? null : chainPanel('Chain of live', 'live', live),
    sandbox === undefined ? null : chainPanel('Chain of the sandbox', 'sandbox', sandbox),
  ]
  return html`<div class="grid">${panels}</div><h2>Batches under review</h2>`
}

function chainPanel(title: string, environment: string, line: Outcome<ChainLine>): Html {
  if (!line.ok && line.problem.code === 'chain_not_configured')
    return section(title, html`<p class="soft">This installation settles nothing here.</p>`)
  if (!line.ok) return section(title, panelError(line.problem))
  const { stopped, in_flight: inFlight, final_block: block, exceptions, sponsor } = line.value
  return section(
    title,
    html`${stopped === null ? null : notice('bad', wordsOf(stopped.reason) + ': ' + stopped.detail)}${facts(
      [
        ['State', tag(stopped === null ? 'active' : 'suspended')],
        ['In flight', inFlight],
        ['Final block', block],
        ['Sponsor', html`<code>${sponsor}</code>`],
        ['Differences', exceptions.length],
      ],
    )}<div class="actions">${move(stopped === null ? 'pause_chain' : 'resume_chain', environment)}</div>`,
  )
}

export const withdrawals = deskList<PaymentWithdrawalOfTenant>({
  ...{ path: '/operator/withdrawals', title: 'Withdrawals', menu: 'Withdrawals' },
  of: '/payment_withdrawals',
  filters: [
    { name: 'status', label: 'Status', options: PAYMENT_WITHDRAWAL_STATUSES },
    { name: 'tenant_id', label: 'Tenant' },
    { name: 'payment_account_id', label: 'Account' },
  ],
  columns: [
    { label: 'Withdrawal', cell: ({ id }) => shortId(id) },
    {
      label: 'Status',
      cell: ({ status, failure }) =>
        html`${tag(status)} ${failure === null ? null : wordsOf(failure.code)}`,
    },
    { label: 'Amount', isNumber: true, cell: ({ amount_cents: of }) => moneyText(of, 'USD') },
    {
      label: 'To',
      cell: ({ to_address: to }) =>
        html`<code class="id" title="${to}">${to.slice(0, 8)}…${to.slice(-6)}</code>`,
    },
    { label: 'Tenant', cell: ({ tenant_id: id }, { tenant }) => tenant(id) },
    { label: 'In', cell: ({ livemode }) => (livemode ? 'live' : 'sandbox') },
    { label: 'Since', cell: ({ created }) => seconds(created) },
    {
      label: 'Actions',
      isActions: true,
      cell: ({ id, status }) =>
        CANCELLABLE.includes(status) ? move('cancel_withdrawal', id) : null,
    },
  ],
  empty: 'No holder has asked for money yet. A holder withdraws from a payment account.',
  first: null,
})

const CANCELLABLE: readonly string[] = ['needs_confirmation', 'pending', 'submitted']

export const billing = deskList<BillingException>({
  ...{ path: '/operator/billing', title: 'Billing differences', menu: 'Billing differences' },
  of: '/billing_exceptions',
  columns: [
    { label: 'Kind', cell: ({ kind }) => wordsOf(kind) },
    { label: 'About', cell: ({ subject }) => html`<code>${subject}</code>` },
    { label: 'Tenant', cell: ({ tenant_id: id }, { tenant }) => tenant(id) },
    { label: 'In', cell: ({ environment }) => environment },
    { label: 'Seen', cell: ({ created }) => seconds(created) },
  ],
  empty: 'None: we and the payment processor say the same.',
  first: null,
  actions: move('void_invoice'),
})
