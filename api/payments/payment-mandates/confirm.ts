// The holder approves a mandate with the passkey, like a payment: the challenge is computed from
// stored terms, and the mandate stays as it is where a check fails.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { PaymentMandate } from '../../../shared/schemas/payment-mandate.ts'
import type { Context } from '../../context.ts'
import type { Sql } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import { isAnswered, write } from '../../write/write.ts'
import {
  type AssertionSource,
  approvalTerms,
  type ConfirmPorts,
  checkApproval,
  type StoredAssertion,
} from '../passkeys/approval.ts'
import type { SentAssertion } from '../passkeys/assertion.ts'
import { findAccount, shareAccount } from '../payment-accounts/index.ts'
import { findPayee } from '../settlement-accounts/index.ts'
import { findMandate, lockMandate, saveMandate } from './store.ts'
import { type MandateRow, mandateView } from './view.ts'

/** The assertion through the API; the hosted page does the same. */
export async function confirmMandate(
  context: Context,
  { id, assertion }: { id: string; assertion: SentAssertion },
  ports: ConfirmPorts,
): Promise<PaymentMandate> {
  const { sql, principal, now, call } = context
  const answered = await isAnswered(sql, context)
  const mandate = answered ? null : await findMandate(sql, principal, { id, now })
  const source = { address: call.clientAddress, userAgent: null }
  const checked =
    mandate === null ? null : await checkMandate(sql, mandate, { assertion, source, ports })
  return write(context, async (inner) => {
    if (mandate === null || checked === null) throw new Refusal('resource_missing')
    return mandateView(await saveApproved(inner, { mandate, checked, now }))
  })
}

/** Refuses with 409 invalid_state, or with 400 assertion_invalid and the check that failed. */
export async function checkMandate(
  sql: Sql,
  mandate: MandateRow,
  input: { assertion: SentAssertion; source: AssertionSource; ports: ConfirmPorts },
): Promise<StoredAssertion> {
  requireState(mandate.status, ['pending'])
  const key = await findAccount(sql, mandate, mandate.paymentAccountId)
  const payee = await findPayee(sql, mandate, mandate.settlementAccountId)
  assert(key !== null && payee !== null, 'a mandate has its accounts')
  const { id, limitCents, approvalValidUntil: validUntil, environment } = mandate
  const terms = approvalTerms({ id, key, payeeAddress: payee.address, limitCents, validUntil })
  return checkApproval({ environment, key, terms, challenge: mandate.approvalHash }, input)
}

/** Locks account and mandate, and checks their states again: a closed account approves nothing. */
export async function saveApproved(
  sql: TxSql,
  {
    mandate: { id, tenantId, environment, paymentAccountId },
    checked,
    now,
  }: {
    mandate: MandateRow
    checked: StoredAssertion
    now: EpochMs
  },
): Promise<MandateRow> {
  const principal = { tenantId, environment }
  const account = await shareAccount(sql, principal, paymentAccountId)
  const held = await lockMandate(sql, principal, { id, now })
  if (held === null) throw new Refusal('resource_missing')
  if (account === null || account.status === 'closed')
    throw new Refusal('payment_account_not_active', { extra: { current_status: 'closed' } })
  requireState(held.status, ['pending'])
  return saveMandate(sql, principal, { id, now, status: 'active', assertion: checked })
}
