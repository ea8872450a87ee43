// Fixes the lines of a draft: what they add up to is settled with the credit of the subscription.
import type { EpochMs } from '../../../shared/clock.ts'
import type { TxSql } from '../../database/transaction.ts'
import { settle } from '../rate.ts'
import { insertLines, saveInvoice } from './store.ts'
import type { InvoiceLineRow, InvoiceRow } from './view.ts'

const DAY_MS = 86_400_000

export interface FinalizeWith {
  /** Lines behind those that the draft has. */
  lines: readonly InvoiceLineRow[]
  /** Credit of the subscription before. */
  creditCents: number
  /** Null: the payment method is charged; otherwise days until the invoice is due. */
  netDays: number | null
  /** No invoice follows that would carry a small total on; absent: one does. */
  isLast?: boolean
  /** Tenant time. */
  now: EpochMs
}

/**
 * Opens a locked draft, whose total is that of the lines it has. An invoice of nothing is paid at
 * once. Returns the credit of the subscription afterwards, in cents, which the caller saves.
 */
export async function finalizeInvoice(
  sql: TxSql,
  draft: InvoiceRow,
  { lines, creditCents, netDays, isLast = false, now }: FinalizeWith,
): Promise<{ invoice: InvoiceRow; creditCents: number }> {
  const sum = lines.reduce(
    (cents, line) => cents + BigInt(line.amountCents),
    BigInt(draft.totalCents),
  )
  const { creditLine, total, credit } = settle(sum, BigInt(creditCents), { isFinal: isLast })
  const applied = creditLine === 0n ? [] : [creditOf(Number(creditLine), now)]
  await insertLines(sql, draft.id, [...lines, ...applied])
  const isOwed = total > 0n
  const invoice = await saveInvoice(sql, draft, {
    status: isOwed ? 'open' : 'paid',
    totalCents: Number(total),
    finalizedAt: now,
    paidAt: isOwed ? null : now,
    dueAt: isOwed && netDays !== null ? now + netDays * DAY_MS : null,
    nextAttemptAt: isOwed && netDays === null ? now : null,
  })
  return { invoice, creditCents: Number(credit) }
}

function creditOf(amountCents: number, now: EpochMs): InvoiceLineRow {
  const none = { plan: null, meter: null, segmentId: null, quantity: null }
  return { kind: 'credit', ...none, fromAt: now, untilAt: now, amountCents }
}
