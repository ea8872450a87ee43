// Payments that come after an invoice was given up: by a bank transfer, or on the processor's page.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Sql } from '../../database/pool.ts'
import { noteException } from '../exceptions/index.ts'
import type { InvoiceRow } from '../invoices/index.ts'
import type { CollectedInvoice, Processor } from '../processor/index.ts'
import { savePaidLate } from './settle.ts'
import { nextStep } from './steps.ts'
import type { DueInvoice } from './store.ts'

/**
 * Reads an invoice that was given up, and ends its debt where the processor was paid. Returns false
 * where the processor does not answer.
 */
export async function readLatePayment(
  sql: Sql,
  processor: Processor,
  { invoice, now }: { invoice: InvoiceRow; now: EpochMs },
): Promise<boolean> {
  // The processor never opened it: nobody can have paid.
  if (invoice.processorId === null) return true
  const looked = await processor.readInvoice(invoice.processorId)
  if (!looked.ok) return looked.error.kind === 'refused'
  if (looked.value.status !== 'paid') return true
  await settleLate(sql, invoice, { seen: looked.value, now })
  return true
}

/** Another sum than ours ends no debt: a person has to look. */
export async function settleLate(
  sql: Sql,
  { id, tenantId, environment, totalCents, currency }: DueInvoice & Owed,
  { seen, now }: { seen: CollectedInvoice; now: EpochMs },
): Promise<void> {
  const due = { id, tenantId, environment }
  const isWhole = nextStep(seen, { totalCents, currency, mayPay: false }) === 'paid'
  if (isWhole) return savePaidLate(sql, due, { seen, now })
  const { status, total, amountDue: amount_due, currency: paidIn } = seen
  const detail = { status, total, amount_due, currency: paidIn }
  const named = { tenantId, environment, subject: id, kind: 'status_differs' } as const
  await noteException(sql, { ...named, detail, now })
}

/** The sum of our invoice. */
export interface Owed {
  totalCents: number
  currency: string
}
