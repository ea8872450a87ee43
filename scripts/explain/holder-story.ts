// A mandate or a withdrawal: itself from the API; the holder's approval, checked again offline, and
// the attempts on the chain from the database beside the service.
import type { Result } from '../../shared/result.ts'
import type { Payment } from '../../shared/schemas/payment.ts'
import type { PaymentMandate } from '../../shared/schemas/payment-mandate.ts'
import type { PaymentWithdrawal } from '../../shared/schemas/payment-withdrawal.ts'
import {
  type Approved,
  type Attempt,
  readAttempts,
  readMandateApproval,
  readWithdrawalApproval,
} from './payment-rows.ts'
import { fromDatabase, one } from './payment-story.ts'
import { approvalLines, attemptLines, row, textOf, titled, usd } from './payment-timeline.ts'
import { readPages } from './read-api.ts'
import type { StorySources } from './story.ts'
import type { Style } from './style.ts'
import { printable } from './text.ts'

export interface MandateStory {
  mandate: PaymentMandate
  /** The stored approval, checked again offline; null: none yet; a sentence if it is unknown. */
  approval: Approved | null | string
  /** Payments under the mandate. */
  payments: Pick<Payment, 'id' | 'status' | 'amount_cents'>[]
}

export interface WithdrawalStory {
  withdrawal: PaymentWithdrawal
  approval: Approved | null | string
  /** Signed transactions; a sentence if they are unknown. */
  attempts: Attempt[] | string
}

/** The mandate's data, or a sentence that gives the reason for its absence. */
export async function readMandateStory(
  sources: StorySources,
  id: string,
): Promise<Result<MandateStory, string>> {
  const mandate = await one<PaymentMandate>(sources, 'payment_mandates', id)
  if (!mandate.ok) return mandate
  const path = '/v1/payments?order=asc&payment_account_id=' + mandate.value.payment_account_id
  const payments = await readPages<Payment>(sources, path)
  if (!payments.ok) return payments
  return {
    ok: true,
    value: {
      mandate: mandate.value,
      approval: await fromDatabase(sources, (url) => readMandateApproval(url, id, sources.dataDir)),
      payments: payments.value.filter(({ payment_mandate_id: under }) => under === id),
    },
  }
}

/** The withdrawal's data, or a sentence that gives the reason for its absence. */
export async function readWithdrawalStory(
  sources: StorySources,
  id: string,
): Promise<Result<WithdrawalStory, string>> {
  const withdrawal = await one<PaymentWithdrawal>(sources, 'payment_withdrawals', id)
  if (!withdrawal.ok) return withdrawal
  return {
    ok: true,
    value: {
      withdrawal: withdrawal.value,
      approval: await fromDatabase(sources, (url) => readWithdrawalApproval(url, id)),
      attempts: await fromDatabase(sources, (url) => readAttempts(url, id)),
    },
  }
}

/** The whole text, ending in a newline. */
export function mandateTimeline({ mandate, approval, payments }: MandateStory, style: Style) {
  const { limit_cents: limit, per_payment_cents: each, description } = mandate
  const heading = [
    titled(style, mandate),
    'at most ' + usd(limit) + ', ' + usd(each) + ' a payment, until ' + mandate.expires_at,
    'from ' + mandate.payment_account_id + ' to ' + mandate.settlement_account_id,
    ...(description === null ? [] : [printable(description)]),
    '',
  ].join('\n')
  const rows = [
    row('approval', approvalLines(approval, style)),
    row('used', [
      usd(mandate.used_cents) + ' landed, ' + usd(mandate.reserved_cents) + ' reserved',
    ]),
    row(
      'payments',
      payments.length === 0
        ? ['none']
        : payments.map(
            ({ id, status, amount_cents: cents }) => id + ' ' + status + ' ' + usd(cents),
          ),
    ),
  ]
  return heading + '\n' + textOf(rows, style)
}

/** The whole text, ending in a newline. */
export function withdrawalTimeline(story: WithdrawalStory, style: Style): string {
  const { withdrawal, approval, attempts } = story
  const { failure, transaction_hash: hash, block_number: block } = withdrawal
  const heading = [
    titled(style, withdrawal),
    usd(withdrawal.amount_cents) +
      ' from ' +
      withdrawal.payment_account_id +
      ' to ' +
      withdrawal.to_address,
    '',
  ].join('\n')
  const outcome = [
    ...(hash === null ? [] : ['transaction ' + hash]),
    ...(block === null ? [] : ['block ' + block]),
    ...(failure === null ? [] : ['failed: ' + failure.stage + ', ' + failure.code]),
  ]
  const rows = [
    row('approval', approvalLines(approval, style)),
    row('chain', attemptLines(attempts)),
    ...(outcome.length === 0 ? [] : [row('outcome', outcome)]),
  ]
  return heading + '\n' + textOf(rows, style)
}
