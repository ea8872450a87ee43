// Only this module makes rows of notices public.
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type { BillingNotice, NOTICE_KINDS } from '../../../shared/schemas/billing-notice.ts'
import type { Owner } from '../../context.ts'

export type NoticeKind = (typeof NOTICE_KINDS)[number]

export interface NoticeRow extends Owner {
  id: string
  subscriptionId: string
  kind: NoticeKind
  invoiceId: string | null
  /** Tenant time. */
  createdAt: EpochMs
}

export function noticeView(row: NoticeRow): BillingNotice {
  return {
    id: row.id,
    object: 'billing_notice',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    kind: row.kind,
    subscription_id: row.subscriptionId,
    invoice_id: row.invoiceId,
  }
}
