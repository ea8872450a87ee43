// Shows what a change of plan would cost, and stores nothing.
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type { InvoicePreview } from '../../../shared/schemas/billing-preview.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import {
  type Currency,
  type Interval,
  PLAN_KEYS,
  termsAt,
  termsAtBoundary,
} from '../catalogue/index.ts'
import { type InvoiceLineRow, isBaseWaived, lineView } from '../invoices/index.ts'
import { lastSegment } from '../metering/index.ts'
import { settle } from '../rate.ts'
import { isUnpaid } from './change.ts'
import {
  type ChangeInput,
  isSelfServe,
  priceChange,
  rolledRow,
  type Target,
  targetOf,
} from './price-change.ts'
import { baseLine, basePeriod, catalogueOf } from './roll.ts'
import { findSubscription } from './store.ts'
import { basePeriodOf, isOver, type SubscriptionRow, subscriptionStanding } from './view.ts'

interface Priced {
  target: Pick<Target, 'plan' | 'interval' | 'effective'>
  effectiveAt: EpochMs
  prorateAt: number | null
  lines: readonly InvoiceLineRow[]
}

/** Without a subscription: the first invoice of one. Refuses what the change would refuse. */
export async function previewInvoice(
  { sql, principal, now }: Context,
  input: ChangeInput,
): Promise<InvoicePreview> {
  const found = await findSubscription(sql, principal)
  const row = found === null ? null : rolledRow(found, now)
  const { reason } = subscriptionStanding(row, now)
  const isNew = row === null || isOver(row, now) || reason === 'trial_ended'
  const priced = isNew ? priceFirst(input, now) : await priceFor(sql, row, { input, now })
  const credit = BigInt(isNew ? 0 : row.creditCents)
  return preview(priced, { credit, currency: row?.currency ?? 'USD' }, principal.environment)
}

/** The first invoice of a subscription that begins now; of the lowest plan where none is named. */
function priceFirst({ plan: wanted, interval: asked }: ChangeInput, now: EpochMs): Priced {
  const plan = wanted ?? PLAN_KEYS[0]
  if (!isSelfServe(plan)) throw new Refusal('feature_not_enabled')
  const interval: Interval = asked ?? 'month'
  const line = baseLine({ terms: termsAt(plan, now), interval }, basePeriod(now, 0, interval))
  const target = { plan, interval, effective: 'now' as const }
  return { target, effectiveAt: now, prorateAt: null, lines: [line] }
}

async function priceFor(
  sql: Context['sql'],
  row: SubscriptionRow,
  { input, now }: { input: ChangeInput; now: EpochMs },
): Promise<Priced> {
  const target = targetOf(row, input)
  const { plan, interval, effective } = target
  const none = { target, effectiveAt: now, prorateAt: null, lines: [] }
  if (target.isSame) return none
  if (!isSelfServe(plan)) throw new Refusal('feature_not_enabled')
  if (target.isUpgrade && row.overdueSince !== null) throw new Refusal('invoice_overdue')
  if (isUnpaid(row, now)) return { ...none, target: { plan, interval, effective: 'now' } }
  const base = basePeriodOf(row)
  if (effective === 'period_end' && base !== null) {
    const ordinal = row.baseOrdinal + (row.interval === 'year' ? 12 : 1)
    const next = basePeriod(row.activeFrom ?? now, ordinal, interval)
    // A catalogue newer than 30 days does not reach that boundary.
    const then = termsAtBoundary(plan, { at: base.until, reached: catalogueOf(row) })
    const lines = [baseLine({ terms: then, interval }, next)]
    return { target, effectiveAt: base.until, prorateAt: null, lines }
  }
  // Requests name whole seconds.
  const begun = (await lastSegment(sql, row.id))?.fromAt ?? now
  const at = Math.max(unixSeconds(now) * 1000, begun, row.activeFrom ?? 0)
  const baseWaived = await isBaseWaived(sql, row.id, row.baseOrdinal)
  const terms = termsAt(plan, now)
  const { lines } = priceChange(row, { terms, interval }, { at, baseWaived })
  return { target, effectiveAt: at, prorateAt: unixSeconds(at), lines }
}

function preview(
  { target, effectiveAt, prorateAt, lines }: Priced,
  { credit, currency }: { credit: bigint; currency: Currency },
  environment: string,
): InvoicePreview {
  const net = lines.reduce((sum, { amountCents }) => sum + BigInt(amountCents), 0n)
  const settled = settle(net, credit, { isFinal: false })
  return {
    object: 'invoice_preview',
    livemode: environment === 'live',
    plan: target.plan,
    interval: target.interval,
    effective: target.effective,
    effective_at: unixSeconds(effectiveAt),
    prorate_at: prorateAt,
    currency,
    lines: lines.map(lineView),
    net_cents: Number(net),
    total_cents: Number(settled.total),
    credit_cents: Number(settled.credit),
  }
}
