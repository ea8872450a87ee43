// Compares an entry of a clearing file with the recorded message. Pure.
import type { ClearingEntry, ClearingExceptionKind } from '../../../shared/schemas/clearing-file.ts'

/** The amount in the network's own message. */
export interface RecordedAmount {
  amountCents: number
  currency: string
}

/** Null if both agree. An amount in another currency is not compared. */
export function exceptionOf(
  entry: ClearingEntry,
  recorded: RecordedAmount | null,
): ClearingExceptionKind | null {
  if (recorded === null) return 'missing_here'
  if (recorded.currency !== entry.currency) return 'currency_mismatch'
  return recorded.amountCents === entry.amount_cents ? null : 'amount_mismatch'
}
