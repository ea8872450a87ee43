// Journal entries of payment accounts, as the drain brings them: each concludes what a call began
// and did not conclude. An entry that a call has applied changes nothing.

import type { DecisionEntry } from '../../../shared/wire/journal-entry.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { RefusedEntry } from '../../engine-link/batch.ts'
import type { PaymentEntry } from '../../engine-link/drained-entry.ts'
import type { PaymentsPort } from '../../engine-link/payments-port.ts'
import {
  concludeAuthorization,
  concludeCapture,
  concludeRelease,
  isCaptureRefused,
} from './conclude.ts'
import { findByTransactions, lockPayments, readStatuses } from './drain-store.ts'
import { forgetCapture } from './release.ts'
import type { StoredStatus } from './states.ts'
import { lockAnyPayment } from './store.ts'
import { findCapture } from './transfers-store.ts'
import type { PaymentRow } from './view.ts'

/** The drain's port to payments. */
export const drainedPayments: PaymentsPort = {
  async applyEntries(sql, entries) {
    const refused: RefusedEntry[] = []
    const seen = await readStatuses(sql, entries.flatMap(authorizedId))
    const open = entries.filter((entry) => !isConcluded(entry, seen))
    if (open.length === 0) return refused
    const payments = await paymentsOf(sql, open)
    const locked = await lockPayments(sql, [...payments.values()])
    for (const entry of open) {
      if (isConcluded(entry, locked)) continue
      if (!(await applyEntry(sql, entry, payments.get(entry))))
        refused.push({ entry, error: 'no such payment' })
    }
    return refused
  },
}

/**
 * True for an authorization that its call has concluded, as it has most of them: before the lock,
 * or while the drain waited for it.
 */
function isConcluded(entry: PaymentEntry, statuses: ReadonlyMap<string, StoredStatus>): boolean {
  const [paymentId] = authorizedId(entry)
  return paymentId !== undefined && (statuses.get(paymentId) ?? 'deciding') !== 'deciding'
}

/** The id of the payment that the entry authorizes; none for an entry of another kind. */
function authorizedId({ entry }: PaymentEntry): string[] {
  const isAuthorization = entry.kind !== 'expiry' && entry.message.kind === 'authorization'
  return isAuthorization ? [entry.message.networkTransactionId ?? ''] : []
}

/** The id of each entry's payment. */
async function paymentsOf(
  sql: TxSql,
  entries: readonly PaymentEntry[],
): Promise<ReadonlyMap<PaymentEntry, string>> {
  const expired = entries.filter(({ entry }) => entry.kind === 'expiry')
  const found =
    expired.length === 0
      ? null
      : await findByTransactions(
          sql,
          expired.map(({ id }) => id),
        )
  return new Map(
    entries.flatMap((each): [PaymentEntry, string][] => {
      const { id, entry } = each
      const paymentId =
        entry.kind === 'expiry' ? found?.get(id) : entry.message.networkTransactionId
      return paymentId === undefined || paymentId === null ? [] : [[each, paymentId]]
    }),
  )
}

/** False where no payment can take the entry. */
async function applyEntry(
  sql: TxSql,
  { entry }: PaymentEntry,
  paymentId: string | undefined,
): Promise<boolean> {
  const payment = paymentId === undefined ? null : await lockAnyPayment(sql, paymentId)
  if (payment === null) return false
  // An abandoned payment is released only when the engine has its failed captures back as well.
  if (entry.kind === 'expiry' && payment.releasing !== 'settlement_abandoned')
    await concludeRelease(sql, payment, entry.expiredAtMs)
  if (entry.kind !== 'expiry') await applyDecision(sql, payment, entry)
  return true
}

async function applyDecision(sql: TxSql, payment: PaymentRow, entry: DecisionEntry): Promise<void> {
  const { message, receivedAtMs: now } = entry
  if (message.kind === 'authorization') {
    if (payment.status === 'deciding') await concludeAuthorization(sql, payment, entry, { now })
  } else if (message.kind === 'capture') {
    const capture = await findCapture(sql, message.id)
    const refused = isCaptureRefused(entry)
    if (capture?.status === 'asking') await concludeCapture(sql, payment, { capture, refused, now })
  } else if (message.kind === 'reversal') {
    if (payment.releasing !== null) await concludeRelease(sql, payment, now)
  } else if (message.kind === 'capture_reversal') {
    await forgetCapture(sql, payment, message.id.split(':')[0] ?? '')
  }
}
