// Only this module makes rows of quotes public.
import { hash } from 'node:crypto'
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type {
  OperatorQuote,
  Quote,
  QuoteContact,
  QuoteStatus,
  QuoteVolumes,
} from '../../../shared/schemas/billing-quote.ts'
import type { AgreedTerms } from '../../../shared/schemas/billing-terms.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'

export interface QuoteRow {
  id: string
  tenantId: string
  environment: Environment
  status: QuoteStatus
  volumes: QuoteVolumes
  contact: QuoteContact
  note: string | null
  offer: AgreedTerms | null
  offerExpiresAt: EpochMs | null
  /** Installation time; null for offers that the release before made. */
  offeredAt: EpochMs | null
  acceptedAt: EpochMs | null
  acceptedBy: string | null
  declineReason: string | null
  createdAt: EpochMs
}

/** An offer runs out by the passage of time: no timer moves it. */
export function quoteStatusAt(
  { status, offerExpiresAt }: Pick<QuoteRow, 'status' | 'offerExpiresAt'>,
  now: EpochMs,
): QuoteStatus {
  const isOut = status === 'offered' && offerExpiresAt !== null && offerExpiresAt <= now
  return isOut ? 'expired' : status
}

/** Names the offer by its terms and its end; null without an offer. */
export function offerDigest({
  offer,
  offerExpiresAt,
}: Pick<QuoteRow, 'offer' | 'offerExpiresAt'>): string | null {
  // jsonb keeps one order of keys, however the terms were sent.
  return offer === null ? null : hash('sha256', JSON.stringify([offer, offerExpiresAt]), 'hex')
}

/** `now` by the tenant's clock. */
export function quoteView(row: QuoteRow, now: EpochMs): Quote {
  return {
    id: row.id,
    object: 'quote',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    status: quoteStatusAt(row, now),
    volumes: row.volumes,
    contact: row.contact,
    note: row.note,
    offer: row.offer,
    offer_expires_at: secondsOrNull(row.offerExpiresAt),
    offer_digest: offerDigest(row),
    accepted_at: secondsOrNull(row.acceptedAt),
    accepted_by: row.acceptedBy,
    decline_reason: row.declineReason,
  }
}

/** The same for operators, by the installation's clock. */
export function operatorQuoteView(row: QuoteRow, now: EpochMs): OperatorQuote {
  return { ...quoteView(row, now), tenant_id: row.tenantId }
}

function secondsOrNull(moment: EpochMs | null): number | null {
  return moment === null ? null : unixSeconds(moment)
}
