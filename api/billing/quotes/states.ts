// States and moves of quotes: a person of the tenant accepts or withdraws one, an operator offers
// or declines.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Quote, QuoteStatus } from '../../../shared/schemas/billing-quote.ts'
import type { AgreedTerms } from '../../../shared/schemas/billing-terms.ts'
import type { Context, OperatorContext } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { tenantTime } from '../../platform/tenants/index.ts'
import type { Move } from '../../write/move.ts'
import { requireState } from '../../write/move.ts'
import { write } from '../../write/write.ts'
import { auditOnTenant } from '../operator-audit.ts'
import { lockBuyer, lockOwner } from '../require-billing.ts'
import { findAnyQuote, findQuote, saveQuoteMove } from './store.ts'
import { offerDigest, type QuoteRow, quoteStatusAt, quoteView } from './view.ts'

export const QUOTE_MOVES = {
  /** An offer replaces an offer that was not accepted, also one that ran out. */
  offer: { from: ['requested', 'offered', 'expired'], to: 'offered', event: null },
  decline: { from: ['requested', 'offered'], to: 'declined', event: null },
  withdraw: { from: ['requested', 'offered'], to: 'withdrawn', event: null },
  accept: { from: ['offered'], to: 'accepted', event: null },
  provision: { from: ['accepted'], to: 'provisioned', event: null },
} as const satisfies Record<string, Move<QuoteStatus>>

/** Chosen: the longest that an offer stands. */
const OFFER_MS_MAX = 90 * 86_400_000

/**
 * Refuses with 409 an offer that ran out, one with another digest than the person read, and one
 * that was made after its approval was asked for. Without a digest the last of these alone tells
 * that the person saw another offer.
 */
export async function acceptQuote(
  context: Context,
  { id, digest }: { id: string; digest: string | null },
): Promise<Quote> {
  const { principal, now, call } = context
  return write(context, async (sql) => {
    await lockBuyer(sql, principal)
    const held = await findQuote(sql, principal, id)
    if (held === null) throw new Refusal('resource_missing')
    requireState(quoteStatusAt(held, now), QUOTE_MOVES.accept.from)
    if (digest !== null && digest !== offerDigest(held))
      throw new Refusal('invalid_state', REPLACED)
    const { approvedBy: acceptedBy = null, askedAt = null } = call.factor ?? {}
    if (askedAt !== null && held.offeredAt !== null && askedAt < held.offeredAt)
      throw new Refusal('invalid_state', REPLACED)
    const move = { status: QUOTE_MOVES.accept.to, acceptedAt: now, acceptedBy }
    return quoteView(await saveQuoteMove(sql, held, move), now)
  })
}

const REPLACED = {
  message: 'The offer was replaced by another one. Read it, and accept it anew.',
}

export async function withdrawQuote(context: Context, id: string): Promise<Quote> {
  const { principal, now } = context
  return write(context, async (sql) => {
    await lockOwner(sql, principal)
    const held = await findQuote(sql, principal, id)
    if (held === null) throw new Refusal('resource_missing')
    requireState(quoteStatusAt(held, now), QUOTE_MOVES.withdraw.from)
    return quoteView(await saveQuoteMove(sql, held, { status: QUOTE_MOVES.withdraw.to }), now)
  })
}

export interface OfferInput {
  quoteId: string
  terms: AgreedTerms
  expiresAt: EpochMs
}

/** `expiresAt` by the tenant's clock: refuses with 400 a moment past, or over 90 days ahead. */
export async function offerQuote(context: OperatorContext, input: OfferInput): Promise<Quote> {
  const { terms: offer, expiresAt: offerExpiresAt } = input
  return write(context, async (sql) => {
    const { held, now } = await lockQuoteForOperator(sql, context, input.quoteId)
    requireState(quoteStatusAt(held, now), QUOTE_MOVES.offer.from)
    if (offerExpiresAt <= now || offerExpiresAt > now + OFFER_MS_MAX)
      throw new Refusal('parameter_invalid', {
        param: 'expires_at',
        message: 'An offer stands until a moment in the next 90 days.',
      })
    const move = { status: QUOTE_MOVES.offer.to, offer, offerExpiresAt, offeredAt: context.now }
    const quote = quoteView(await saveQuoteMove(sql, held, move), now)
    await auditOnTenant(sql, context, held, held.id)
    return quote
  })
}

export async function declineQuote(
  context: OperatorContext,
  { quoteId, reason }: { quoteId: string; reason: string },
): Promise<Quote> {
  return write(context, async (sql) => {
    const { held, now } = await lockQuoteForOperator(sql, context, quoteId)
    requireState(quoteStatusAt(held, now), QUOTE_MOVES.decline.from)
    const move = { status: QUOTE_MOVES.decline.to, declineReason: reason }
    const quote = quoteView(await saveQuoteMove(sql, held, move), now)
    await auditOnTenant(sql, context, held, held.id)
    return quote
  })
}

/** The quote as it is once its tenant is locked, and the moment by the tenant's clock. */
async function lockQuoteForOperator(
  sql: TxSql,
  context: OperatorContext,
  quoteId: string,
): Promise<{ held: QuoteRow; now: EpochMs }> {
  const found = await findAnyQuote(sql, quoteId)
  if (found === null) throw new Refusal('resource_missing')
  await lockOwner(sql, found)
  const held = await findQuote(sql, found, quoteId)
  if (held === null) throw new Refusal('resource_missing')
  return { held, now: await tenantTime(sql, held, context.now) }
}
