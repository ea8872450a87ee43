// The texts of mails about the billing of a tenant: a row per notice.
import { type EpochMs, isoInstant } from '../../../shared/clock.ts'
import type { BillingNotice } from '../../../shared/schemas/billing-notice.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'

export interface BillingMail {
  /** Name of the reader. */
  name: string
  tenant: string
  environment: Environment
  kind: BillingNotice['kind']
  /** Null where the notice concerns no single invoice. */
  invoice: { id: string; totalCents: number; currency: string; dueAt: EpochMs | null } | null
  /** Page of the processor on which the invoice is paid; secret. */
  link: string | null
}

type Text = readonly [subject: string, ...sentences: string[]]

const PAY = 'A new payment method is charged at once. Paid invoices lift it within seconds.'

/** `tenant` and `invoice` are shown as they are given. */
const TEXTS: {
  readonly [kind in BillingMail['kind']]: (tenant: string, invoice: string) => Text
} = {
  trial_ending: (tenant) => [
    'The trial of ' + tenant + ' ends within three days',
    'Choose a plan before: without one no cards and no passes are issued after the trial.',
  ],
  invoice_sent: (tenant, invoice) => [
    'An invoice of ' + tenant,
    invoice + ' is open.',
    'It is paid on its page, and not collected by itself.',
  ],
  payment_failed: (tenant, invoice) => [
    'A payment of ' + tenant + ' failed',
    invoice + ' could not be collected.',
    'It is tried again on the days 1, 3, 7 and 14 after the first failure. A lost card and a closed account are not tried again. A new payment method is charged at once.',
  ],
  action_required: (tenant, invoice) => [
    'A payment of ' + tenant + ' has to be confirmed',
    'The bank wants a person to confirm the payment. ' + invoice + ' is unpaid until then.',
  ],
  payment_succeeded: (tenant, invoice) => [
    'An invoice of ' + tenant + ' is paid',
    invoice + ' is paid after a failure. Nothing is left to do about it.',
  ],
  restriction_ahead: (tenant) => [
    tenant + ' will be restricted within three days',
    'An invoice is overdue. Without a payment no cards and no passes are issued then, and real-time decisions end.',
    'A new payment method is charged at once.',
  ],
  restricted: (tenant) => [
    tenant + ' is restricted',
    'An invoice is overdue for 14 days. No cards and no passes are issued, and real-time decisions ended.',
    PAY,
  ],
  suspension_ahead: (tenant) => [
    tenant + ' will be suspended within three days',
    'An invoice is overdue. Without a payment every new authorization is declined then.',
    'A new payment method is charged at once.',
  ],
  suspended: (tenant) => [
    tenant + ' is suspended',
    'An invoice is overdue for 28 days. Every new authorization is declined. Captures, reversals and refunds go on.',
    PAY,
  ],
  cancellation_ahead: (tenant) => [
    'The subscription of ' + tenant + ' will be canceled within three days',
    'An invoice is overdue. Without a payment the subscription ends then.',
    'A new payment method is charged at once.',
  ],
  canceled: (tenant) => [
    'The subscription of ' + tenant + ' is canceled',
    'An invoice is overdue for 60 days. The subscription ended, and every new authorization is declined.',
    'A new subscription begins with a plan that you choose.',
  ],
  new_prices: (tenant) => [
    'New prices for the plan of ' + tenant,
    'The plan has a newer list of prices. It holds from the first period of the base price that begins 30 days after its date or later.',
    'The API shows it at GET /v1/billing/plans.',
  ],
}

/** The subject, and the paragraphs between the greeting and the end. */
export function billingText({ tenant, environment, kind, invoice, link }: BillingMail): {
  subject: string
  sentences: string[]
} {
  const shown = invoice === null ? 'An invoice' : invoiceName(invoice)
  const [subject, ...sentences] = TEXTS[kind](tenant, shown)
  const page = link === null ? [] : ['Pay it here:', link]
  const isPlay = environment === 'sandbox'
  const play = isPlay ? ['This is the sandbox: no money moves, and live goes on.'] : []
  return {
    subject: (isPlay ? 'Sandbox: ' : '') + subject,
    sentences: [...sentences, ...page, ...play],
  }
}

function invoiceName(invoice: NonNullable<BillingMail['invoice']>): string {
  const { id, totalCents, currency, dueAt } = invoice
  const cents = String(totalCents).padStart(3, '0')
  const name =
    'Invoice ' + id + ' of ' + cents.slice(0, -2) + '.' + cents.slice(-2) + ' ' + currency
  return dueAt === null ? name : name + ', due on ' + isoInstant(dueAt).slice(0, 10) + ','
}
