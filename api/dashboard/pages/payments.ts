// Payments and settlements: where is the money, what is stuck?
import type { Payment, SettlementBalance, SettlementBatch } from '../../../client/generated.ts'
import { type Html, html } from '../../../shared/html.ts'
import { list } from '../list.ts'
import { action, call, page, type Visit } from '../page.ts'
import { whole } from '../parts/code.ts'
import { facts, ifAny, ownFacts } from '../parts/facts.ts'
import { figures } from '../parts/figure.ts'
import { buttonForm, confirmed } from '../parts/form.ts'
import { idLink } from '../parts/id.ts'
import { moment, seconds } from '../parts/moment.ts'
import { countText, money, moneyText } from '../parts/money.ts'
import { namesOf } from '../parts/names.ts'
import { none, panel, panelError, section } from '../parts/panel.ts'
import { tag, wordsOf } from '../parts/tag.ts'
import { askedPage, dollars } from './payment-account-parts.ts'
import { settlementAges } from './settlement-ages.ts'
import { settlementPhases } from './settlement-phases.ts'

const STATES = [
  ...['risk_declined', 'needs_confirmation', 'authorized', 'confirmed', 'capture_pending'],
  ...['partially_captured', 'captured', 'partially_refunded', 'refunded', 'voided', 'failed'],
]

export const payments = list({
  path: '/payments',
  title: 'Payments',
  menu: { group: 'Money', label: 'Payments' },
  operation: 'listPayments',
  filters: [
    { name: 'status', label: 'Status', options: STATES },
    { name: 'cardholder_id', label: 'Cardholder id' },
    { name: 'payment_account_id', label: 'Payment account id' },
    { name: 'settlement_account_id', label: 'Settlement account id' },
    { name: 'external_id', label: 'External id' },
  ],
  columns: [
    {
      label: 'Payment',
      cell: ({ description, id }) =>
        description ?? html`<code class="id" title="${id}">…${id.slice(-8)}</code>`,
    },
    { label: 'Status', cell: ({ status }) => tag(status) },
    {
      label: 'Amount',
      isNumber: true,
      cell: ({ amount_cents: amount, currency }) => money(amount, currency),
    },
    {
      label: 'Captured',
      isNumber: true,
      cell: ({ captured_cents: captured, currency }) => money(captured, currency),
    },
    { label: 'Payer', id: ({ cardholder_id: id }) => id },
    { label: 'Made', cell: ({ created }) => seconds(created) },
  ],
  href: ({ id }) => '/payments/' + id,
  empty:
    'No payment yet. A cardholder with a payment account pays one of your settlement accounts.',
  begin: () => ({
    ...{ path: '/payment_accounts', label: 'Choose a payment account' },
    operation: 'createPayment',
  }),
})

export const payment = page({
  path: '/payments/:id',
  title: 'Payment',
  operations: ['getPayment', 'listEvents'],
  async view(at) {
    const id = at.params['id'] ?? ''
    const [of, { events }] = await Promise.all([
      at.need(call('getPayment', { id })),
      at.ask({ events: call('listEvents', { resource_id: id, order: 'asc', limit: 25 }) }),
    ])
    const named = await namesOf(at, [of.cardholder_id, of.settlement_account_id])
    const of_ = (cents: number): string => moneyText(cents, of.currency)
    const content = html`<header class="head"><h1>Payment of ${of_(of.amount_cents)}</h1>${tag(of.status)}<span class="actions">${moves(at, of)}</span><p>${of.description ?? ''} <code>${of.id}</code></p></header>
${figures([
  { label: 'Authorized', value: of_(of.amount_cents) },
  {
    label: 'Captured',
    value: of_(of.captured_cents),
    note: of_(of.capture_pending_cents) + ' pending',
  },
  {
    label: 'Refunded',
    value: of_(of.refunded_cents),
    note: of_(of.refund_pending_cents) + ' pending',
  },
  { label: 'Voided', value: of_(of.voided_cents) },
])}
<div class="grid">${section(
      'Details',
      facts([
        ['Payer', named(of.cardholder_id)],
        ['Paid from', idLink(at, of.payment_account_id)],
        ['Paid to', named(of.settlement_account_id)],
        ['Confirmed by', of.confirmation?.by ?? null],
        ['Confirmed', moment(of.confirmation?.confirmed_at)],
        ['Expires', moment(of.expires_at)],
        ...ifAny(
          'Declined because',
          of.decline_reason === null ? null : wordsOf(of.decline_reason),
        ),
        ...ifAny('Void because', of.void_cause === null ? null : wordsOf(of.void_cause)),
        ...ifAny('Failure', failureText(of.failure)),
        ['Made', seconds(of.created)],
        ...ownFacts(of),
      ]),
    )}${panel('What happened', events, ({ data }) => (data.length === 0 ? none(at, 'No event yet. Each step of the payment becomes one.') : html`<ol class="steps">${data.map((one) => html`<li><span>${seconds(one.created)}</span><span aria-hidden="true">→</span><span>${idLink(at, one.id, one.type)}</span></li>`)}</ol>`))}</div>
${whole(of, 'The payment as the API shows it')}`
    return { title: of_(of.amount_cents), content }
  },
})

/** The failure in words: what failed, at which stage, and the chain's own text. */
function failureText(failure: Payment['failure']): string | null {
  if (failure === null) return null
  const { code, stage, detail } = failure
  return wordsOf(code) + ', at ' + stage + (detail === null ? '' : ': ' + detail)
}

/** States in which something is left and nothing may be captured. */
const UNCAPTURED: readonly Payment['status'][] = ['needs_confirmation', 'failed']

function moves(
  at: Visit,
  {
    id,
    status,
    capturable_cents: capturable,
    captured_cents: captured,
    refunded_cents: refunded,
  }: Payment,
): Html {
  const path = at.to('/payments/' + id)
  return html`${
    status === 'needs_confirmation' && at.may('createPaymentConfirmationLink')
      ? confirmed({
          ...{ id: 'link', action: path + '/link', button: { label: 'New link' } },
          ...{ title: 'Make a new link?', text: 'The holder approves on it. Earlier links end.' },
        })
      : null
  }${capturable > 0 && !UNCAPTURED.includes(status) && at.may('capturePayment') ? buttonForm(path + '/capture', { label: 'Capture' }) : null}${
    ['needs_confirmation', 'authorized', 'confirmed'].includes(status) && at.may('voidPayment')
      ? confirmed({
          ...{ id: 'void', action: path + '/void', button: { label: 'Void', mood: 'danger' } },
          ...{ title: 'Void this payment?', text: 'Its hold is released. This cannot be undone.' },
        })
      : null
  }${
    captured > refunded && at.may('refundPayment')
      ? confirmed({
          ...{ id: 'refund', action: path + '/refund', button: { label: 'Refund' } },
          ...{
            title: 'Refund this payment?',
            text: 'All that was captured and not refunded goes back.',
          },
        })
      : null
  }`
}

const makeLink = action({
  path: '/payments/:id/link',
  label: 'Make a new link for the holder of the payment.',
  operation: 'createPaymentConfirmationLink',
  done: 'The link is made.',
  input: (_sent, at) => ({ id: at.params['id'] ?? '' }),
  shown: askedPage,
})

const moveActions = (['capture', 'void', 'refund'] as const).map((move) =>
  action({
    path: '/payments/:id/' + move,
    label: move[0]?.toUpperCase() + move.slice(1) + ' the payment.',
    operation: (
      { capture: 'capturePayment', void: 'voidPayment', refund: 'refundPayment' } as const
    )[move],
    done: 'The payment is changed.',
    input: (_sent, at) => ({ id: at.params['id'] ?? '' }),
  }),
)

export const paymentMoves = [makeLink, ...moveActions]

export const settlements = list({
  path: '/settlements',
  title: 'Settlements',
  menu: { group: 'Money', label: 'Settlements' },
  operation: 'listSettlementBatches',
  filters: [
    {
      name: 'status',
      label: 'Status',
      options: ['open', 'submitted', 'included', 'completed', 'failed'],
    },
    { name: 'settlement_account_id', label: 'Settlement account id' },
  ],
  columns: [
    {
      label: 'Batch',
      cell: ({ id }) => html`<code class="id" title="${id}">…${id.slice(-8)}</code>`,
    },
    {
      label: 'Status',
      cell: ({ status, review }) =>
        html`${tag(status, status === 'completed' ? 'good' : status === 'failed' ? 'bad' : 'warn')} ${review?.status === 'open' ? tag('in review', 'bad') : null}`,
    },
    { label: 'Net', isNumber: true, cell: ({ net_cents: net }) => money(net, 'USD') },
    { label: 'Captures', isNumber: true, cell: ({ counts }) => countText(counts.captures) },
    { label: 'Made', cell: ({ created }) => seconds(created) },
    { label: 'Completed', cell: ({ completed_at: done }) => moment(done) },
  ],
  href: ({ id }) => '/settlements/' + id,
  empty:
    'Nothing was settled yet. Captures become batches, each of which pays one account on the chain.',
  begin: () => ({ path: '/payments', label: 'See the payments', operation: 'listPayments' }),
  async above(at) {
    const { balance, ages } = await at.ask({
      balance: call('getSettlementBalance', {}),
      ages: call('getSettlementAges', {}),
    })
    return html`${balance.ok ? balanceFigures(balance.value) : panelError(balance.problem)}${panel('Not settled yet', ages, (of) => settlementAges(at, of))}`
  },
})

function balanceFigures(of: SettlementBalance): Html {
  return figures([
    { label: 'Pending', value: moneyText(of.pending_cents, of.currency) },
    { label: 'In settlement', value: moneyText(of.in_settlement_cents, of.currency) },
    { label: 'Paid out', value: moneyText(of.paid_out_cents, of.currency) },
    { label: 'Refunds due', value: moneyText(of.refunds_due_cents, of.currency) },
  ])
}

/** The causes of a batch. */
const TRIGGERS: { readonly [trigger in SettlementBatch['trigger']]: string } = {
  ...{ interval: 'its interval was over', size: 'it was full' },
  ...{ manual: 'asked for', retry: 'another try of a failed batch' },
}

export const settlement = page({
  path: '/settlements/:id',
  title: 'Settlement batch',
  operations: ['getSettlementBatch', 'listSettlementBatchPayments'],
  async view(at) {
    const id = at.params['id'] ?? ''
    const [of, { paid }] = await Promise.all([
      at.need(call('getSettlementBatch', { id })),
      at.ask({ paid: call('listSettlementBatchPayments', { id, limit: 50 }) }),
    ])
    const named = await namesOf(at, [of.settlement_account_id])
    return {
      title: 'Settlement batch',
      content: html`<header class="head"><h1>Settlement of ${dollars(of.net_cents)}</h1>${tag(of.status)}<p><code>${of.id}</code></p></header>
${figures([
  { label: 'Captured', value: dollars(of.gross_cents) },
  { label: 'Refunds', value: dollars(of.refunds_cents) },
  { label: 'Fee', value: dollars(of.fee_cents) },
  { label: 'Net', value: dollars(of.net_cents) },
])}<div class="grid"><div class="stack">${section('Phases', settlementPhases(of))}${section(
        'Details',
        facts([
          ['Paid to', named(of.settlement_account_id)],
          ['Settled because', TRIGGERS[of.trigger]],
          ...ifAny(
            'Transaction',
            of.transaction_hash === null ? null : html`<code>${of.transaction_hash}</code>`,
          ),
          ...ifAny('Block', of.block_number),
          ...ifAny(
            'Review',
            of.review === null ? null : of.review.status + ' ' + (of.review.resolution ?? ''),
          ),
          ...ifAny('Failure', failureText(of.failure)),
          ['Made', seconds(of.created)],
          ['Completed', moment(of.completed_at)],
        ]),
      )}</div>${panel('Payments', paid, ({ data }) => (data.length === 0 ? none(at, 'No capture of a payment is in it.') : html`<ul class="bars">${data.map((one) => html`<li><span>${idLink(at, one.id, one.description ?? '')} ${dollars(one.amount_cents)}</span>${tag(one.status)}</li>`)}</ul>`))}</div>`,
    }
  },
})
