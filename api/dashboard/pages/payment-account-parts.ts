// Parts of the pages about payment accounts: forms, panels, and answers that are shown once.
import type {
  Cardholder,
  Payment,
  PaymentAccount,
  PaymentMandate,
  PaymentWithdrawal,
  SettlementAccount,
} from '../../../client/generated.ts'
import { type Html, html, url } from '../../../shared/html.ts'
import { call, type Form, type Outcome, type Shown, type Visit } from '../page.ts'
import { buttonForm, confirmed, field, form, hidden, select } from '../parts/form.ts'
import { idLink } from '../parts/id.ts'
import { moneyText } from '../parts/money.ts'
import { none, panel, section } from '../parts/panel.ts'
import { linkOnce } from '../parts/secret.ts'
import { tag, wordsOf } from '../parts/tag.ts'

/** Accounts hold tokens of US dollars only. */
export const CURRENCY = 'USD'

/** An amount of US cents. */
export const dollars = (cents: number): string => moneyText(cents, CURRENCY)

/** Approvals that the holder gave before, and how much of each is used. */
export function mandatesPanel(
  at: Visit,
  mandates: Outcome<{ data: readonly PaymentMandate[] }>,
): Html | null {
  return panel('Mandates', mandates, ({ data }) =>
    data.length === 0
      ? none(at, 'None. Under a mandate the holder need not approve each payment.')
      : html`<ul class="bars">${data.map((one) => html`<li><span>${idLink(at, one.id, one.description ?? '')} ${dollars(one.used_cents)} of ${dollars(one.limit_cents)}</span><span class="actions">${tag(one.status)}${revokeButton(at, one)}</span></li>`)}</ul>`,
  )
}

function revokeButton(at: Visit, { id, status, payment_account_id: account }: PaymentMandate) {
  if (!['pending', 'active'].includes(status) || !at.may('revokePaymentMandate')) return null
  return confirmed({
    ...{ id: 'revoke-' + id, button: { label: 'Revoke' }, title: 'Revoke this mandate?' },
    action: at.to('/payment_accounts/' + account + '/mandates/' + id + '/revoke'),
    text: 'It covers no payment any more; authorized ones stay. This cannot be undone.',
  })
}

/** Money that leaves the account; nothing where none did. */
export function withdrawalsPanel(
  at: Visit,
  withdrawals: Outcome<{ data: readonly PaymentWithdrawal[] }>,
): Html | null {
  if (withdrawals.ok && withdrawals.value.data.length === 0) return null
  return panel(
    'Withdrawals',
    withdrawals,
    ({ data }) =>
      html`<ul class="bars">${data.map((one) => html`<li><span>${dollars(one.amount_cents)} to <code title="${one.to_address}">${one.to_address.slice(0, 8)}…</code></span><span class="actions">${tag(one.status)}${cancelButton(at, one)}</span></li>`)}</ul>`,
  )
}

function cancelButton(at: Visit, { id, status, payment_account_id: account }: PaymentWithdrawal) {
  if (status !== 'needs_confirmation' || !at.may('cancelPaymentWithdrawal')) return null
  return confirmed({
    ...{ id: 'cancel-' + id, button: { label: 'Cancel' }, title: 'Cancel this withdrawal?' },
    action: at.to('/payment_accounts/' + account + '/withdrawals/' + id + '/cancel'),
    text: 'The link of the holder ends, and the amount is free for payments again.',
  })
}

/** A payment to one of the tenant's usable accounts. */
export function paymentForm(
  at: Visit,
  { id, status }: PaymentAccount,
  payees: Outcome<{ data: readonly SettlementAccount[] }>,
  sent: Form | null,
): Html | null {
  if (status !== 'active' || !at.may('createPayment')) return null
  const value = (name: string): string => sent?.(name) ?? ''
  return panel('Begin a payment', payees, ({ data }) => {
    const usable = data.filter((each) => each.status === 'usable')
    if (usable.length === 0)
      return none(at, 'No account can be paid yet.', null, {
        ...{ path: '/settlement_accounts/new', label: 'Add a settlement account' },
        operation: 'createSettlementAccount',
      })
    const options = usable.map((each) => [each.id, each.name] as const)
    const fields = html`${select({ name: 'settlement_account_id', label: 'Paid to', value: value('settlement_account_id'), options })}<div class="pair">${field({ name: 'amount', label: 'Amount', hint: 'in US dollars', value: value('amount'), placeholder: '25.00', required: true })}${field({ name: 'description', label: 'Description', hint: 'the holder reads it', value: value('description') })}</div>`
    return form({
      ...{ action: at.to('/payment_accounts/' + id + '/pay'), fields },
      button: { label: 'Begin the payment' },
    })
  })
}

/** In the sandbox a simulated telephone plays the holder, and tokens cost nothing. */
export function holderForms(at: Visit, { id, status }: PaymentAccount): Html | null {
  if (status === 'closed' || !at.may('fundSimulatePaymentAccount')) return null
  const path = at.to('/payment_accounts/' + id)
  const button = (move: string, label: string): Html =>
    buttonForm(path + '/' + move, { label, mood: 'plain' })
  const content =
    status === 'pending'
      ? html`<p class="soft">A simulated telephone enrols its passkey on the page of the link.</p>${button('approve', 'Enrol the telephone’s passkey')}`
      : html`<div class="stack">${form({
          action: path + '/fund',
          fields: field({
            ...{ name: 'amount', label: 'Tokens', hint: 'in US dollars', value: '100.00' },
          }),
          button: { label: 'Fund the account', mood: 'plain' },
        })}<div><p class="soft">A simulated telephone answers the next payment, mandate or withdrawal that is begun after your click.</p><div class="actions">${button('approve', 'Approve the next')}${button('deny', 'Deny the next')}</div></div></div>`
  return section('Play the holder', content)
}

/** An answer whose link no later call shows again. */
export function enrolmentPage(of: PaymentAccount, at: Visit, isRepeat: boolean): Shown {
  const title = 'The holder enrols a passkey'
  const answer = html`${linkOnce({ url: of.enrolment_url }, isRepeat)}<p><a href="${url(at.to('/payment_accounts/' + of.id))}">The payment account</a></p>`
  return {
    title,
    content: html`<header class="head"><h1>${title}</h1></header>${section('The link, valid for a day', answer)}`,
  }
}

/** A payment with its holder's link, which no later call shows again; declined, with the reason. */
export function askedPage(of: Payment, at: Visit, isRepeat: boolean): Shown {
  const title = 'Payment of ' + dollars(of.amount_cents)
  const asked =
    of.status === 'needs_confirmation' && of.confirmation !== null
      ? linkOnce(of.confirmation, isRepeat)
      : null
  const declined =
    of.decline_reason === null ? null : html`<p>Declined: ${wordsOf(of.decline_reason)}.</p>`
  const answer = html`${asked}${declined}<p><a href="${url(at.to('/payments/' + of.id))}">The payment</a></p>`
  return {
    title,
    content: html`<header class="head"><h1>${title}</h1>${tag(of.status)}</header>${section('The answer', answer)}`,
  }
}

/** The payment accounts of a cardholder, of which one is open, and the button that opens one. */
export function accountsPanel(
  at: Visit,
  { id, kyc, frozen, status }: Pick<Cardholder, 'id' | 'kyc' | 'frozen' | 'status'>,
  accounts: Outcome<{ data: readonly PaymentAccount[] }>,
): Html | null {
  const isReady = kyc.status === 'approved' && !frozen && status === 'active'
  return panel('Payment accounts', accounts, ({ data }) => {
    const isNext = data.every((each) => each.status === 'closed')
    const open =
      isReady && isNext && at.may('createPaymentAccount')
        ? buttonForm(
            at.to('/payment_accounts/new'),
            { label: 'Open a payment account', mood: 'plain' },
            hidden('cardholder_id', id),
          )
        : null
    return html`${data.length === 0 ? none(at, 'None yet. A holder pays from one, with a passkey.', call('createPaymentAccount', { cardholder_id: id })) : html`<ul class="bars">${data.map((one) => html`<li><span>${idLink(at, one.id)} ${dollars(one.available_cents)} free</span>${tag(one.status)}</li>`)}</ul>`}${open}`
  })
}
