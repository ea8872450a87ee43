// Requests a quote. Spec 6.2, billing.enterprise_quote_requested.
import type { Quote, QuoteContact, QuoteVolumes } from '../../../shared/schemas/billing-quote.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { recordEvent } from '../../webhooks/events/index.ts'
import { write } from '../../write/write.ts'
import { type BillingPort, lockOwner, requireBilled } from '../require-billing.ts'
import { findOpenQuote, insertQuote, saveQuoteMove } from './store.ts'
import { quoteStatusAt, quoteView } from './view.ts'

interface QuoteInput {
  volumes: QuoteVolumes
  contact: QuoteContact
  note: string | null
}

/** Refuses with 409 while another quote is open. Chosen: a tenant asks before its KYB too. */
export async function requestQuote(
  context: Context,
  input: QuoteInput,
  port: BillingPort,
): Promise<Quote> {
  const { principal, now } = context
  const { tenantId, environment } = principal
  requireBilled(port, environment)
  return write(context, async (sql) => {
    await lockOwner(sql, principal)
    const open = await findOpenQuote(sql, principal)
    if (open !== null && quoteStatusAt(open, now) !== 'expired')
      throw new Refusal('already_exists', {
        message: 'A quote is open: withdraw it first.',
        extra: { resource_id: open.id },
      })
    if (open !== null) await saveQuoteMove(sql, open, { status: 'expired' })
    const id = context.newId('quo')
    const quote = quoteView(
      await insertQuote(sql, principal, { id, ...input, createdAt: now }),
      now,
    )
    await recordEvent(sql, {
      ...{ tenantId, environment, type: 'billing.enterprise_quote_requested' as const, now },
      ...{ data: { quote }, resourceId: id },
    })
    return quote
  })
}
