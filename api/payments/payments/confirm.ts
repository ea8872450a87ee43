// The holder approves with the passkey. The challenge is computed from the stored terms and never
// taken from the page; the checks come in one order, and the payment stays as it is where one
// fails. Spec 6.2, payment.confirmed.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { Payment } from '../../../shared/schemas/payment.ts'
import type { Context } from '../../context.ts'
import type { Sql } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import { isAnswered, write } from '../../write/write.ts'
import {
  type AssertionSource,
  approvalTerms,
  type ConfirmPorts,
  checkApproval,
  type StoredAssertion,
} from '../passkeys/approval.ts'
import type { SentAssertion } from '../passkeys/assertion.ts'
import { findAccount } from '../payment-accounts/index.ts'
import { findPayee } from '../settlement-accounts/index.ts'
import { movePayment } from './move.ts'
import { requireConfirmable, requirePayment } from './require.ts'
import { findAnyPayment } from './store.ts'
import { type PaymentRow, paymentView } from './view.ts'

/** The assertion through the API; the hosted page does the same. */
export async function confirmPayment(
  context: Context,
  { id, assertion }: { id: string; assertion: SentAssertion },
  ports: ConfirmPorts,
): Promise<Payment> {
  const { sql, principal, now, call } = context
  const answered = await isAnswered(sql, context)
  const payment = answered ? null : await findAnyPayment(sql, id)
  const own =
    payment?.tenantId === principal.tenantId && payment.environment === principal.environment
  const source = { address: call.clientAddress, userAgent: null }
  const checked =
    payment !== null && own && payment.status !== 'deciding'
      ? await checkAssertion(sql, payment, { assertion, source, now, ports })
      : null
  return write(context, async (inner) => {
    const held = await requirePayment(inner, principal, id)
    assert(checked !== null, 'a payment of the caller was checked')
    return paymentView(await saveConfirmation(inner, held, { checked, now }))
  })
}

/**
 * Checks state, time and assertion, in this order, then asks the contract where the chain answers.
 * Refuses with 409 invalid_state, or with 400 assertion_invalid and the check that failed.
 */
export async function checkAssertion(
  sql: Sql,
  payment: PaymentRow,
  input: { assertion: SentAssertion; source: AssertionSource; now: EpochMs; ports: ConfirmPorts },
): Promise<StoredAssertion> {
  const { assertion, source, now, ports } = input
  requireConfirmable(payment, now)
  const key = await findAccount(sql, payment, payment.paymentAccountId)
  const payee = await findPayee(sql, payment, payment.settlementAccountId)
  const { id, environment, amountCents: limitCents, approvalValidUntil: validUntil } = payment
  assert(key !== null && payee !== null && validUntil !== null, 'a payment has its terms')
  const terms = approvalTerms({ id, key, payeeAddress: payee.address, limitCents, validUntil })
  const approved = { environment, key, terms, challenge: payment.approvalHash }
  return checkApproval(approved, { assertion, source, ports })
}

/** The payment is locked; its state is checked again. */
export async function saveConfirmation(
  sql: TxSql,
  payment: PaymentRow,
  { checked, now }: { checked: StoredAssertion; now: EpochMs },
): Promise<PaymentRow> {
  requireConfirmable(payment, now)
  return movePayment(sql, payment, {
    move: 'confirm',
    change: { confirmedAt: now, confirmedBy: 'passkey', assertion: checked },
    now,
  })
}
