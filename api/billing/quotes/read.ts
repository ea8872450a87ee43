// All reads of quotes.
import type { OperatorQuote, Quote, QuoteStatus } from '../../../shared/schemas/billing-quote.ts'
import type { Page } from '../../../shared/schemas/list.ts'
import type { Context, OperatorContext } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { findAnyQuote, findQuote, listAllQuotes, listQuotes } from './store.ts'
import { operatorQuoteView, quoteView } from './view.ts'

export async function readQuote({ sql, principal, now }: Context, id: string): Promise<Quote> {
  const quote = await findQuote(sql, principal, id)
  if (quote === null) throw new Refusal('resource_missing')
  return quoteView(quote, now)
}

export async function readQuotes(
  { sql, principal, now }: Context,
  query: PageQuery,
): Promise<Page<Quote>> {
  return mapPage(await listQuotes(sql, principal, query), (row) => quoteView(row, now))
}

/** Quotes of every tenant; an offer counts as expired by the installation's clock here. */
export async function readAllQuotes(
  { sql, now }: OperatorContext,
  query: PageQuery & { status?: QuoteStatus },
): Promise<Page<OperatorQuote>> {
  return mapPage(await listAllQuotes(sql, query, now), (row) => operatorQuoteView(row, now))
}

/** A quote of any tenant, by the same clock. */
export async function readAnyQuote(
  { sql, now }: OperatorContext,
  id: string,
): Promise<OperatorQuote> {
  const quote = await findAnyQuote(sql, id)
  if (quote === null) throw new Refusal('resource_missing')
  return operatorQuoteView(quote, now)
}
