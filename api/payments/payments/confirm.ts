// The holder approves with the passkey. The challenge is computed from the stored terms and never
// taken from the page; the checks come in one order, and the payment stays as it is where one
// fails. Spec 6.2, payment.confirmed.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { Payment } from '../../../shared/schemas/payment.ts'
import { unitsOfCents } from '../../../shared/token-units.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { Context } from '../../context.ts'
import type { Sql, SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { partyOf } from '../../http/relying-party.ts'
import { isAnswered, write } from '../../write/write.ts'
import { approvalSalt } from '../chain/holder-account.ts'
import { type Approval, type Assertion, assertionFor } from '../chain/terms.ts'
import {
  type SentAssertion,
  type VerifiedAssertion,
  verifyAssertion,
} from '../passkeys/assertion.ts'
import { findAccount } from '../payment-accounts/index.ts'
import { movePayment } from './move.ts'
import { requireConfirmable, requirePayment } from './require.ts'
import { findAnyPayment, findPayee } from './store.ts'
import { approvalTerms } from './terms.ts'
import { type PaymentRow, paymentView } from './view.ts'

/** The contract's own check of an assertion; null where no RPC answers. */
export interface ApprovalPort {
  isApproved(
    environment: Environment,
    approval: Approval,
    assertion: Assertion,
  ): Promise<boolean | null>
}

export interface ConfirmPorts extends ApprovalPort {
  /** The hosted page's address: a passkey is bound to its host. */
  publicUrl: string
}

/** The origin of an assertion, kept with it. */
export interface AssertionSource {
  address: string | null
  userAgent: string | null
}

/** A checked assertion, as it is stored: also offline it can be verified again. */
interface StoredAssertion {
  credential_id: string
  authenticator_data: string
  /** As the browser sent it, base64url. */
  client_data: string
  /** DER, base64url. */
  signature: string
  /** Whether the contract confirmed it; null where no RPC answered. */
  confirmed_by_chain: boolean | null
  address: string | null
  user_agent: string | null
}

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
  const { terms, credentialId, x, y } = await storedTerms(sql, payment)
  const { approvalHash: challenge } = payment
  assert(challenge !== null, 'a payment to confirm has its terms')
  const party = partyOf(ports.publicUrl)
  const verified = verifyAssertion(assertion, { credentialId, x, y, challenge, party })
  if (!verified.ok) throw invalid(verified.error)
  const confirmed = await askChain(payment, terms, verified.value, ports)
  if (confirmed === false) throw invalid('chain')
  const { authenticatorData } = verified.value
  return {
    credential_id: credentialId.toString('base64url'),
    authenticator_data: authenticatorData.toString('base64url'),
    client_data: assertion.client_data_json,
    signature: assertion.signature,
    confirmed_by_chain: confirmed,
    address: source.address,
    user_agent: source.userAgent,
  }
}

function invalid(reason: string): Refusal {
  return new Refusal('assertion_invalid', { extra: { reason } })
}

/** The terms as they were stored, with the passkey that must sign them. */
async function storedTerms(sql: SqlTag, payment: PaymentRow) {
  const account = await findAccount(sql, payment, payment.paymentAccountId)
  const payee = await findPayee(sql, payment, payment.settlementAccountId)
  const { approvalValidUntil: validUntil } = payment
  assert(account !== null && payee !== null && validUntil !== null, 'a payment has its terms')
  const { credentialId, publicX: x, publicY: y } = account
  assert(credentialId !== null && x !== null && y !== null, 'an active account has a passkey')
  const limit = unitsOfCents(payment.amountCents)
  const salt = approvalSalt(payment.id)
  return { terms: approvalTerms({ account, payee, limit, validUntil, salt }), credentialId, x, y }
}

function askChain(
  { environment }: PaymentRow,
  terms: Approval,
  verified: VerifiedAssertion,
  ports: ConfirmPorts,
): Promise<boolean | null> {
  const assertion = assertionFor(verified)
  return assertion === null
    ? Promise.resolve(false)
    : ports.isApproved(environment, terms, assertion)
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
