// Closes a month of usage: rates it, and fixes its invoice. Usage of the month, late usage of
// former months and corrections are one formula: owed now, less what is billed.
import type { EpochMs } from '../../../shared/clock.ts'
import type { TxSql } from '../../database/transaction.ts'
import { finalizeInvoice, type InvoiceLineRow, lockInvoice } from '../invoices/index.ts'
import {
  closeSegments,
  lockCursor,
  rateSegment,
  type SegmentRow,
  saveRated,
  segmentsUntil,
  usageSums,
} from '../metering/index.ts'
import { lockOwner } from '../require-billing.ts'
import {
  lockAnySubscription,
  type SubscriptionRow,
  saveSubscription,
} from '../subscriptions/index.ts'
import type { DueClose } from './store.ts'

/** More than any subscription has. */
const MONTHS_MAX = 100_000

/** Returns false where another process closed it first. `now` by the tenant's clock. */
export async function closeInvoice(sql: TxSql, due: DueClose, now: EpochMs): Promise<boolean> {
  await lockOwner(sql, due)
  const subscription = await lockAnySubscription(sql, due, due.subscriptionId)
  await lockCursor(sql, due)
  const draft = await lockInvoice(sql, due, due.id)
  if (subscription === null || draft === null || draft.status !== 'draft') return false
  // A draft of late usage belongs to every month: no further invoice follows.
  const isLate = draft.kind === 'change'
  const month = isLate ? MONTHS_MAX : draft.ordinal - 1
  const lines = await usageLines(sql, subscription, month)
  await closeSegments(sql, subscription.id, { month, now })
  const { creditCents, netDays } = subscription
  const isLast = isLate || draft.kind === 'final'
  const settled = await finalizeInvoice(sql, draft, { lines, creditCents, netDays, isLast, now })
  if (settled.creditCents !== creditCents)
    await saveSubscription(sql, subscription, { creditCents: settled.creditCents })
  return true
}

/** Makes a line of every price that is not what was billed, and notes it as billed. */
async function usageLines(
  sql: TxSql,
  { id, activeFrom: anchor }: SubscriptionRow,
  month: number,
): Promise<InvoiceLineRow[]> {
  const segments = await segmentsUntil(sql, id, month)
  const byId = new Map(segments.map((segment) => [segment.id, segment]))
  const sums = await usageSums(sql, [...byId.keys()])
  const changed = sums
    .filter(({ quantity, billedQuantity }) => quantity !== (billedQuantity ?? 0))
    .map((sum) => {
      const segment = byId.get(sum.segmentId) as SegmentRow
      const { meter, quantity } = sum
      return {
        ...sum,
        segment,
        owed: rateSegment(segment, { anchor, meter, quantity }).amountCents,
      }
    })
  await saveRated(
    sql,
    changed.map(({ owed, ...sum }) => ({ ...sum, amountCents: owed })),
  )
  return changed
    .filter(({ owed, billedCents }) => owed !== billedCents)
    .map(({ owed, billedCents, segment, meter, quantity }) => {
      const amountCents = owed - billedCents
      const afterwards = amountCents > 0 ? ('late' as const) : ('correction' as const)
      const isFirst = segment.month === month && segment.closedAt === null
      return {
        ...{ kind: isFirst ? ('usage' as const) : afterwards, plan: null, meter, quantity },
        ...{ segmentId: segment.id, fromAt: segment.fromAt, untilAt: segment.untilAt },
        amountCents,
      }
    })
}
