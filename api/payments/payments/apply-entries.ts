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
import { lockAnyPayment } from './store.ts'
import { deleteCapture, findCapture } from './transfers-store.ts'
import type { PaymentRow } from './view.ts'

/** The drain's port to payments. */
export const drainedPayments: PaymentsPort = {
  async applyEntries(sql, entries) {
    const refused: RefusedEntry[] = []
    const concluded = await listConcluded(sql, entries)
    const open = entries.filter((entry) => !concluded.has(entry))
    if (open.length === 0) return refused
    const payments = await paymentsOf(sql, open)
    await lockPayments(sql, [...payments.values()])
    for (const entry of open) {
      if (!(await applyEntry(sql, entry, payments.get(entry))))
        refused.push({ entry, error: 'no such payment' })
    }
    return refused
  },
}

/** Authorizations that their calls have concluded, which is most of them: none is locked. */
async function listConcluded(
  sql: TxSql,
  entries: readonly PaymentEntry[],
): Promise<ReadonlySet<PaymentEntry>> {
  const asked = entries.flatMap((each) =>
    each.entry.kind !== 'expiry' && each.entry.message.kind === 'authorization'
      ? [{ each, paymentId: each.entry.message.networkTransactionId ?? '' }]
      : [],
  )
  if (asked.length === 0) return new Set()
  const statuses = await readStatuses(
    sql,
    asked.map(({ paymentId }) => paymentId),
  )
  return new Set(
    asked
      .filter(({ paymentId }) => (statuses.get(paymentId) ?? 'deciding') !== 'deciding')
      .map(({ each }) => each),
  )
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
    await deleteCapture(sql, message.id.split(':')[0] ?? '')
  }
}
