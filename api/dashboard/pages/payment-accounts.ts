// Payment accounts: what may a holder spend, and what takes part of it?
import type { Payment, PaymentAccount } from '../../../client/generated.ts'
import { type Html, html } from '../../../shared/html.ts'
import { list } from '../list.ts'
import {
  action,
  call,
  type Form,
  type Outcome,
  type Problem,
  page,
  type Shown,
  type Visit,
} from '../page.ts'
import { whole } from '../parts/code.ts'
import { facts, ifAny, ownFacts } from '../parts/facts.ts'
import { figures } from '../parts/figure.ts'
import { buttonForm, confirmed, field } from '../parts/form.ts'
import { idLink } from '../parts/id.ts'
import { moment, seconds } from '../parts/moment.ts'
import { amountIn, money } from '../parts/money.ts'
import { namesOf } from '../parts/names.ts'
import { listLink, none, panel, panelError, section } from '../parts/panel.ts'
import { tag, wordsOf } from '../parts/tag.ts'
import {
  askedPage,
  CURRENCY,
  dollars,
  enrolmentPage,
  holderForms,
  mandatesPanel,
  paymentForm,
  withdrawalsPanel,
} from './payment-account-parts.ts'

export const paymentAccounts = list({
  path: '/payment_accounts',
  title: 'Payment accounts',
  menu: { group: 'Money', label: 'Payment accounts' },
  operation: 'listPaymentAccounts',
  filters: [
    { name: 'status', label: 'Status', options: ['pending', 'active', 'suspended', 'closed'] },
    { name: 'cardholder_id', label: 'Cardholder id' },
    { name: 'program_id', label: 'Program id' },
    { name: 'external_id', label: 'External id' },
  ],
  columns: [
    {
      label: 'Account',
      cell: ({ id }) => html`<code class="id" title="${id}">…${id.slice(-8)}</code>`,
    },
    { label: 'Status', cell: ({ status }) => tag(status) },
    { label: 'Holder', id: ({ cardholder_id: id }) => id },
    { label: 'Free', isNumber: true, cell: (of) => money(of.available_cents, CURRENCY) },
    { label: 'Held', isNumber: true, cell: (of) => money(of.held_cents, CURRENCY) },
    { label: 'Made', cell: ({ created }) => seconds(created) },
  ],
  href: ({ id }) => '/payment_accounts/' + id,
  empty: 'No payment account yet. A cardholder pays from one, with a passkey.',
  begin: () => ({
    ...{ path: '/cardholders', label: 'Choose a cardholder' },
    operation: 'createPaymentAccount',
  }),
})

async function view(at: Visit, sent: Form | null, problem: Problem | null): Promise<Shown> {
  const id = at.params['id'] ?? ''
  const [of, { payments, mandates, withdrawals, payees }] = await Promise.all([
    at.need(call('getPaymentAccount', { id })),
    at.ask({
      payments: call('listPayments', { payment_account_id: id, limit: 10 }),
      mandates: call('listPaymentMandates', { payment_account_id: id, limit: 10 }),
      withdrawals: call('listPaymentWithdrawals', { payment_account_id: id, limit: 10 }),
      payees: call('listSettlementAccounts', { limit: 50 }),
    }),
  ])
  const named = await namesOf(at, [of.cardholder_id, of.program_id])
  const content = html`<header class="head"><h1>Payment account</h1>${tag(of.status)}<span class="actions">${moves(at, of)}</span><p>of ${named(of.cardholder_id)} <code>${of.id}</code></p></header>
${problem === null ? null : panelError(problem)}${balances(of)}
<div class="grid"><div class="stack">${paymentsPanel(at, of, payments)}${section(
    'Details',
    facts([
      ['Holder', named(of.cardholder_id)],
      ['Program', named(of.program_id)],
      ...ifAny('Suspended because', of.suspend_reason === null ? null : wordsOf(of.suspend_reason)),
      ['Address', of.address === null ? null : html`<code>${of.address}</code>`],
      ['Chain', of.chain_id],
      ['Passkey enrolled', moment(of.credential?.created)],
      ...ifAny('Recovery address', of.recovery_address),
      ['Made', seconds(of.created)],
      ...ownFacts(of),
    ]),
  )}</div><div class="stack">${paymentForm(at, of, payees, sent)}${holderForms(at, of)}${mandatesPanel(at, mandates)}${withdrawalsPanel(at, withdrawals)}</div></div>
${whole(of, 'The payment account as the API shows it')}`
  return { title: 'Payment account', content, ...(problem === null ? {} : { status: 422 }) }
}

export const paymentAccount = page({
  path: '/payment_accounts/:id',
  title: 'Payment account',
  operations: ['getPaymentAccount', 'listPayments'],
  view: (at) => view(at, null, null),
})

function balances(of: PaymentAccount): Html {
  const block = of.as_of_block
  return figures([
    { label: 'Free for payments', value: dollars(of.available_cents) },
    { label: 'Held for payments', value: dollars(of.held_cents) },
    { label: 'Leaving by withdrawals', value: dollars(of.leaving_cents) },
    {
      ...{ label: 'On the chain', value: dollars(of.balance_cents) },
      note: block === null ? 'no final block yet' : 'at the final block ' + block,
    },
  ])
}

function paymentsPanel(
  at: Visit,
  { id }: PaymentAccount,
  payments: Outcome<{ data: readonly Payment[] }>,
): Html | null {
  return panel(
    'Latest payments',
    payments,
    ({ data }) =>
      data.length === 0
        ? none(at, 'No payment yet. The account pays one of your settlement accounts.')
        : html`<ul class="bars">${data.map((one) => html`<li><span>${idLink(at, one.id, one.description ?? '')} ${dollars(one.amount_cents)}</span>${tag(one.status)}</li>`)}</ul>`,
    listLink(at, '/payments?payment_account_id=' + id, 'All payments'),
  )
}

function moves(at: Visit, { id, status }: PaymentAccount): Html {
  const path = at.to('/payment_accounts/' + id)
  return html`${
    status === 'active' && at.may('suspendPaymentAccount')
      ? confirmed({
          ...{ id: 'suspend', action: path + '/suspend', button: { label: 'Suspend' } },
          title: 'Suspend this account?',
          text: 'Every payment is declined until it is resumed.',
          fields: field({ name: 'reason', label: 'Reason', hint: 'optional' }),
        })
      : null
  }${
    status === 'suspended' && at.may('resumePaymentAccount')
      ? buttonForm(path + '/resume', { label: 'Resume' })
      : null
  }${
    status === 'pending' && at.may('createPaymentAccountEnrolmentLink')
      ? buttonForm(path + '/enrol', { label: 'Make an enrolment link' })
      : null
  }`
}

const idOf = (at: Visit): string => at.params['id'] ?? ''

const again = (at: Visit, sent: Form, problem: Problem): Promise<Shown> => view(at, sent, problem)

export const paymentAccountMoves = [
  action({
    path: '/payment_accounts/new',
    label: 'Open a payment account.',
    operation: 'createPaymentAccount',
    done: 'The payment account is opened.',
    input: (sent) => ({ cardholder_id: sent('cardholder_id') }),
    shown: enrolmentPage,
  }),
  action({
    path: '/payment_accounts/:id/enrol',
    label: 'Make a link on which the holder enrols a passkey.',
    operation: 'createPaymentAccountEnrolmentLink',
    done: 'The link is made.',
    input: (_sent, at) => ({ id: idOf(at) }),
    shown: enrolmentPage,
    again,
  }),
  action({
    path: '/payment_accounts/:id/pay',
    label: 'Begin a payment.',
    operation: 'createPayment',
    done: 'The payment is begun.',
    input: (sent, at) => ({
      payment_account_id: idOf(at),
      settlement_account_id: sent('settlement_account_id'),
      amount_cents: amountIn(sent, CURRENCY),
      ...(sent('description') === '' ? {} : { description: sent('description') }),
    }),
    shown: askedPage,
    again,
  }),
  action({
    path: '/payment_accounts/:id/suspend',
    label: 'Suspend the payment account.',
    operation: 'suspendPaymentAccount',
    done: 'The account is suspended.',
    input: (sent, at) => ({
      id: idOf(at),
      ...(sent('reason') === '' ? {} : { reason: sent('reason') }),
    }),
    again,
  }),
  action({
    path: '/payment_accounts/:id/resume',
    label: 'Resume the payment account.',
    operation: 'resumePaymentAccount',
    done: 'The account is active again.',
    input: (_sent, at) => ({ id: idOf(at) }),
    again,
  }),
  action({
    path: '/payment_accounts/:id/fund',
    label: 'Mint tokens to the payment account.',
    operation: 'fundSimulatePaymentAccount',
    done: 'The tokens are on their way. The balance follows once their block is final.',
    input: (sent, at) => ({ id: idOf(at), amount_cents: amountIn(sent, CURRENCY) }),
    again,
  }),
  action({
    path: '/payment_accounts/:id/approve',
    label: 'Approve what the account is asked next.',
    operation: 'approveNextSimulatePaymentAccount',
    done: 'The telephone approves what the account is asked next.',
    input: (_sent, at) => ({ id: idOf(at) }),
    again,
  }),
  action({
    path: '/payment_accounts/:id/deny',
    label: 'Deny what the account is asked next.',
    operation: 'denyNextSimulatePaymentAccount',
    done: 'The telephone denies what the account is asked next.',
    input: (_sent, at) => ({ id: idOf(at) }),
    again,
  }),
  action({
    path: '/payment_accounts/:id/mandates/:mandate/revoke',
    label: 'Revoke the mandate for ever.',
    operation: 'revokePaymentMandate',
    done: 'The mandate is revoked.',
    input: (_sent, at) => ({ id: at.params['mandate'] ?? '' }),
    next: ({ payment_account_id: id }) => '/payment_accounts/' + id,
    again,
  }),
  action({
    path: '/payment_accounts/:id/withdrawals/:withdrawal/cancel',
    label: 'Cancel the withdrawal.',
    operation: 'cancelPaymentWithdrawal',
    done: 'The withdrawal is canceled.',
    input: (_sent, at) => ({ id: at.params['withdrawal'] ?? '' }),
    next: ({ payment_account_id: id }) => '/payment_accounts/' + id,
    again,
  }),
]
