// The next call about an invoice: a pure function of the processor's invoice and of ours.
import type { CollectedInvoice } from '../processor/index.ts'

export type Step =
  | 'create'
  | 'lines'
  | 'finalize'
  | 'pay'
  /** It is open with another sum than ours. */
  | 'void'
  /** Nothing is to be called now. */
  | 'wait'
  | 'paid'
  /** A person has to look: the sum differs, or it ended without us. */
  | 'wrong'

export interface Wanted {
  totalCents: number
  currency: string
  /** An attempt is due. */
  mayPay: boolean
}

/** `seen` null: the processor has no invoice for ours. */
export function nextStep(seen: CollectedInvoice | null, wanted: Wanted): Step {
  if (seen === null) return 'create'
  const isTotal = seen.total === wanted.totalCents && seen.currency === wanted.currency
  switch (seen.status) {
    case 'draft':
      if (!seen.hasLines) return 'lines'
      return isTotal ? 'finalize' : 'wrong'
    case 'open':
      if (!isTotal || seen.amountDue !== wanted.totalCents) return 'void'
      return wanted.mayPay ? 'pay' : 'wait'
    case 'paid':
      return isTotal && seen.amountDue === wanted.totalCents ? 'paid' : 'wrong'
    default:
      return 'wrong'
  }
}
