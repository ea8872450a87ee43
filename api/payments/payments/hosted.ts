// A payment on its hosted page: the holder sees its terms, and approves or denies it. The address
// is the secret.
import { hash } from 'node:crypto'
import { assert } from '../../../shared/assert.ts'
import type { Sql, SqlTag } from '../../database/pool.ts'
import { tx } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import type { ConfirmPorts } from '../passkeys/approval.ts'
import type { SentAssertion } from '../passkeys/assertion.ts'
import { auditHolder, findAccount, type HolderCall } from '../payment-accounts/index.ts'
import { findPayee, type Payee } from '../settlement-accounts/index.ts'
import { checkAssertion, saveConfirmation } from './confirm.ts'
import type { PaymentEnginePort } from './engine.ts'
import { begin, finishRelease } from './release.ts'
import { requireConfirmable } from './require.ts'
import { findAnyPayment, findByConfirmation, lockAnyPayment } from './store.ts'
import type { PaymentRow } from './view.ts'

/** The parts of the process that the page of a payment uses. */
export interface HostedPaymentPorts extends ConfirmPorts, PaymentEnginePort {
  sql: Sql
}

/** The payment as the page shows it. */
export interface HostedPayment {
  payment: PaymentRow
  payee: Pick<Payee, 'name' | 'address'>
  tenantName: string
  credentialId: Buffer
  /** True while the holder may still decide. */
  open: boolean
}

/** Null where the link is unknown or was replaced. */
export async function openPayment(
  sql: SqlTag,
  { handle, now }: Pick<HolderCall, 'handle' | 'now'>,
): Promise<HostedPayment | null> {
  const id = await findByConfirmation(sql, hash('sha256', handle, 'buffer'))
  const payment = id === null ? null : await findAnyPayment(sql, id)
  if (payment === null) return null
  const payee = await findPayee(sql, payment, payment.settlementAccountId)
  const account = await findAccount(sql, payment, payment.paymentAccountId)
  const [tenant] = await sql<{ name: string }[]>`
    select name from tenants where id = ${payment.tenantId}`
  assert(payee !== null && account?.credentialId != null && tenant !== undefined, 'a whole payment')
  const { confirmationExpiresAt: until } = payment
  const open =
    payment.status === 'needs_confirmation' &&
    payment.releasing === null &&
    (until ?? 0) > now + payment.clockOffsetMs
  return { payment, payee, tenantName: tenant.name, credentialId: account.credentialId, open }
}

/** Refuses like the same call of the API; the payment stays as it is where a check fails. */
export async function approveOnPage(
  ports: HostedPaymentPorts,
  call: HolderCall,
  assertion: SentAssertion,
): Promise<void> {
  const { sql } = ports
  const hosted = await openPayment(sql, call)
  if (hosted === null) throw new Refusal('resource_missing')
  const { payment } = hosted
  const now = call.now + payment.clockOffsetMs
  const source = { address: call.clientAddress, userAgent: call.userAgent }
  const checked = await checkAssertion(sql, payment, { assertion, source, now, ports })
  await tx(
    sql,
    async (inner) => {
      const held = await lockAnyPayment(inner, payment.id)
      assert(held !== null, 'a payment does not vanish')
      await saveConfirmation(inner, held, { checked, now })
      await auditHolder(inner, held, call, { action: 'holder approves a payment', id: held.id })
    },
    call,
  )
}

/**
 * Chosen: anyone with the page's address may deny without a passkey, so that a holder who sees an
 * illegitimate payment can stop it at once. The job finishes the release where the engine is
 * away.
 */
export async function denyOnPage(ports: HostedPaymentPorts, call: HolderCall): Promise<void> {
  const { sql } = ports
  const hosted = await openPayment(sql, call)
  if (hosted === null) throw new Refusal('resource_missing')
  const { id, clockOffsetMs } = hosted.payment
  await tx(
    sql,
    async (inner) => {
      const held = await lockAnyPayment(inner, id)
      assert(held !== null, 'a payment does not vanish')
      requireConfirmable(held, call.now + clockOffsetMs)
      await begin(inner, held, 'holder_denied', call.now + clockOffsetMs)
      await auditHolder(inner, held, call, { action: 'holder denies a payment', id })
    },
    call,
  )
  await finishRelease(sql, id, { port: ports, now: call.now })
}
