// The endpoints of quotes: tenants request, accept and withdraw, operators offer and decline.
import { Type } from '../../../shared/schema-builders.ts'
import {
  OfferDigest,
  OperatorQuote,
  QUOTE_STATUSES,
  Quote,
  QuoteContact,
  QuoteNote,
  QuoteVolumes,
} from '../../../shared/schemas/billing-quote.ts'
import { AGREED_TERMS } from '../../../shared/schemas/billing-terms.ts'
import { described } from '../../../shared/schemas/described.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import { OPERATOR_REASON } from '../../../shared/schemas/tenant.ts'
import { PAGE_QUERY } from '../../database/page.ts'
import { closed, IdParams, operatorRoute, type Route, route } from '../../http/route.ts'
import type { BillingPort } from '../require-billing.ts'
import { readAllQuotes, readAnyQuote, readQuote, readQuotes } from './read.ts'
import { requestQuote } from './request.ts'
import { acceptQuote, declineQuote, offerQuote, withdrawQuote } from './states.ts'

const PATH = '/v1/billing/quotes'
const OPERATOR_PATH = '/operator/v1/quotes'

export const quoteRoutes: readonly Route<BillingPort>[] = [
  route({
    method: 'GET',
    paths: [PATH],
    summary: 'Lists your quotes for an enterprise plan, newest first.',
    scope: 'read',
    query: closed({ ...PAGE_QUERY }),
    answer: PageOf(Quote),
    run: (context, { query }) => readQuotes(context, query),
  }),
  route({
    method: 'GET',
    paths: [PATH + '/:id'],
    summary: 'Shows a quote with the offered terms.',
    scope: 'read',
    params: IdParams,
    answer: Quote,
    run: (context, { params }) => readQuote(context, params.id),
  }),
  route({
    method: 'POST',
    paths: [PATH],
    summary: 'Requests a quote for an enterprise plan; one can be open.',
    scope: 'admin',
    entitled: 'always',
    status: 201,
    body: closed({
      volumes: described(QuoteVolumes, 'Expected units of a month, by meter.'),
      contact: described(QuoteContact, 'The person to talk to.'),
      note: described(Type.Optional(QuoteNote), 'A note for the person who prepares the offer.'),
    }),
    answer: Quote,
    run: (context, { body }, port: BillingPort) =>
      requestQuote(context, { ...body, note: body.note ?? null }, port),
  }),
  route({
    method: 'POST',
    paths: [PATH + '/:id/accept'],
    summary: 'Accepts the offered terms; an operator then puts the plan into force.',
    scope: 'admin',
    entitled: 'always',
    factor: 'Accept the offered terms of an enterprise plan.',
    params: IdParams,
    body: closed({
      offer_digest: described(
        Type.Optional(OfferDigest),
        'offer_digest of the quote as the person read it; 409 where the offer is another one.',
      ),
    }),
    answer: Quote,
    run: (context, { params, body }) =>
      acceptQuote(context, { id: params.id, digest: body.offer_digest ?? null }),
  }),
  route({
    method: 'POST',
    paths: [PATH + '/:id/withdraw'],
    summary: 'Withdraws a quote that is requested or offered.',
    scope: 'admin',
    entitled: 'always',
    params: IdParams,
    answer: Quote,
    run: (context, { params }) => withdrawQuote(context, params.id),
  }),
  operatorRoute({
    method: 'GET',
    paths: [OPERATOR_PATH],
    summary: 'Lists the quotes of all tenants, newest first.',
    query: closed({ ...PAGE_QUERY, status: Type.Optional(Type.Enum([...QUOTE_STATUSES])) }),
    answer: PageOf(OperatorQuote),
    run: (context, { query }) => readAllQuotes(context, query),
  }),
  operatorRoute({
    method: 'GET',
    paths: [OPERATOR_PATH + '/:id'],
    summary: 'Shows a quote of any tenant.',
    params: IdParams,
    answer: OperatorQuote,
    run: (context, { params }) => readAnyQuote(context, params.id),
  }),
  operatorRoute({
    method: 'POST',
    paths: [OPERATOR_PATH + '/:id/offer'],
    summary: 'Offers terms; replaces an offer that was not accepted.',
    params: IdParams,
    body: closed({
      ...AGREED_TERMS,
      expires_at: described(
        Type.Integer({ minimum: 0, maximum: 8_640_000_000_000 }),
        'When the offer runs out, Unix seconds by the tenant’s clock, at most 90 days ahead.',
      ),
    }),
    answer: Quote,
    run: (context, { params, body: { expires_at, ...terms } }) =>
      offerQuote(context, { quoteId: params.id, terms, expiresAt: expires_at * 1000 }),
  }),
  operatorRoute({
    method: 'POST',
    paths: [OPERATOR_PATH + '/:id/decline'],
    summary: 'Declines a quote, with a reason that the tenant reads.',
    params: IdParams,
    body: closed({ reason: OPERATOR_REASON }),
    answer: Quote,
    run: (context, { params, body }) =>
      declineQuote(context, { quoteId: params.id, reason: body.reason }),
  }),
]
