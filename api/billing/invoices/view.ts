// Only this module makes rows of invoices public.
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type {
  Invoice,
  InvoiceKind,
  InvoiceStatus,
  LineKind,
} from '../../../shared/schemas/billing-invoice.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { Currency, Meter, PlanKey } from '../catalogue/index.ts'

/** Every moment is in tenant time, except `seenDueAt`. */
export interface InvoiceRow {
  id: string
  tenantId: string
  environment: Environment
  subscriptionId: string
  kind: InvoiceKind
  /** Number of the boundary, or of the change. */
  ordinal: number
  currency: Currency
  status: InvoiceStatus
  totalCents: number
  /** The boundary, or the moment of the change. */
  at: EpochMs
  /** Null while a draft, and where the payment method is charged. */
  dueAt: EpochMs | null
  finalizedAt: EpochMs | null
  paidAt: EpochMs | null
  attempts: number
  /** Null while no attempt to collect is ahead. */
  nextAttemptAt: EpochMs | null
  hostedUrl: string | null
  processorId: string | null
  /** Installation time at which the boundary was seen due. */
  seenDueAt: EpochMs | null
  /** Number of the event that has to be counted before the close. */
  waitSeq: number | null
  /** The base price of the period that begins here is not owed. */
  baseWaived: boolean
  createdAt: EpochMs
}

export interface InvoiceLineRow {
  kind: LineKind
  /** Plan of a base price, or of unused time that is taken back. */
  plan: PlanKey | null
  meter: Meter | null
  /** Segment of the usage. */
  segmentId: number | null
  quantity: number | null
  fromAt: EpochMs
  untilAt: EpochMs
  amountCents: number
}

export function invoiceView(row: InvoiceRow, lines: readonly InvoiceLineRow[]): Invoice {
  return {
    id: row.id,
    object: 'invoice',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    subscription_id: row.subscriptionId,
    kind: row.kind,
    ordinal: row.ordinal,
    currency: row.currency,
    status: row.status,
    total_cents: row.totalCents,
    due_at: secondsOrNull(row.dueAt),
    finalized_at: secondsOrNull(row.finalizedAt),
    paid_at: secondsOrNull(row.paidAt),
    attempts: row.attempts,
    next_attempt_at: secondsOrNull(row.nextAttemptAt),
    hosted_url: row.hostedUrl,
    lines: lines.map(lineView),
  }
}

export function lineView(line: InvoiceLineRow): Invoice['lines'][number] {
  return {
    kind: line.kind,
    plan: line.plan,
    meter: line.meter,
    quantity: line.quantity,
    period: { from: unixSeconds(line.fromAt), until: unixSeconds(line.untilAt) },
    amount_cents: line.amountCents,
  }
}

function secondsOrNull(moment: EpochMs | null): number | null {
  return moment === null ? null : unixSeconds(moment)
}
