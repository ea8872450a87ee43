// The endpoints of card transactions.

import { AUTHORIZATION_KINDS } from '../../../shared/authorization-kind.ts'
import { Type } from '../../../shared/schema-builders.ts'
import {
  AuthorizationStatistics,
  STATISTICS_STEPS,
} from '../../../shared/schemas/authorization-statistics.ts'
import {
  CardTransactionMessageShape,
  CardTransactionShape,
} from '../../../shared/schemas/card-transaction-shape.ts'
import { DeclineCategories } from '../../../shared/schemas/decline-categories.ts'
import { described } from '../../../shared/schemas/described.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import {
  ACKNOWLEDGED_MAX,
  StandInAcknowledgement,
} from '../../../shared/schemas/stand-in-report.ts'
import { TRANSACTION_STATUSES } from '../../../shared/transaction-sums.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { PAGE_QUERY, sortBy } from '../../database/page.ts'
import { closed, IdFilter, IdParams, type Route, route } from '../../http/route.ts'
import { acknowledgeStandIn } from './acknowledge.ts'
import { readDeclineCategories } from './decline-categories.ts'
import { readMessages, readTransaction, readTransactions } from './read.ts'
import { readAuthorizationStatistics } from './statistics.ts'

const MerchantText = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: '^[^\\u0000-\\u001f\\u007f]*$',
})
const Amount = Type.Optional(Type.Integer({ minimum: 0, maximum: 999_999_999_999_999 }))
const Instant = Type.Optional(Type.String({ format: 'date-time', maxLength: 40 }))
const YesOrNo = Type.Optional(Type.Enum(['true', 'false']))

export const transactionRoutes: readonly Route[] = [
  route({
    method: 'GET',
    paths: ['/v1/card_transactions'],
    scope: 'read',
    summary: 'Lists card transactions in the order in which they were recorded, newest first.',
    family: 'card',
    query: closed({
      ...PAGE_QUERY,
      ...sortBy('amount_cents'),
      ...CREATED_FILTERS,
      card_id: IdFilter,
      cardholder_id: IdFilter,
      status: Type.Optional(Type.Enum([...TRANSACTION_STATUSES])),
      kind: described(
        Type.Optional(Type.Enum([...AUTHORIZATION_KINDS])),
        'authorization_request.kind.',
      ),
      stand_in: described(YesOrNo, 'Stand-in decided any of its authorization requests.'),
      stand_in_acknowledged: described(
        YesOrNo,
        'Stand-in decided, and the tenant acknowledged every such decision; false: one of them is open.',
      ),
      late_answer: described(YesOrNo, 'The tenant replied after the deadline.'),
      network_transaction_id: Type.Optional(
        Type.String({ minLength: 1, maxLength: 128, pattern: '^[\\x21-\\x7e]+$' }),
      ),
      merchant_id: Type.Optional(MerchantText),
      merchant_name: described(
        Type.Optional(MerchantText),
        "Start of the merchant's name; A and a, to Z and z, are the same.",
      ),
      mcc: Type.Optional(Type.String({ pattern: '^[0-9]{4}$' })),
      min_amount_cents: Amount,
      max_amount_cents: Amount,
    }),
    answer: null,
    shape: PageOf(CardTransactionShape),
    run: (context, { query }) => readTransactions(context, query),
  }),
  route({
    method: 'GET',
    paths: ['/v1/card_transactions/:id'],
    scope: 'read',
    summary:
      'Returns one card transaction with its latest decision, the trace of every rule and its timings.',
    family: 'card',
    params: IdParams,
    answer: null,
    shape: CardTransactionShape,
    run: (context, { params }) => readTransaction(context, params.id),
  }),
  route({
    method: 'GET',
    paths: ['/v1/card_transactions/:id/messages'],
    scope: 'read',
    summary:
      'Lists everything that happened to one card transaction, each with its decision and its effect.',
    family: 'card',
    params: IdParams,
    query: closed(PAGE_QUERY),
    answer: null,
    shape: PageOf(CardTransactionMessageShape),
    run: (context, { params, query }) =>
      readMessages(context, { ...query, transactionId: params.id }),
  }),
  route({
    method: 'POST',
    paths: ['/v1/stand_in/acknowledge'],
    scope: 'write',
    entitled: 'always',
    summary:
      'Acknowledges the decisions of stand-in on card transactions, which then leave the list of open ones.',
    family: 'card',
    body: closed({
      transaction_ids: Type.Array(Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' }), {
        minItems: 1,
        maxItems: ACKNOWLEDGED_MAX,
        uniqueItems: true,
        description: 'Transactions of which stand-in decided an authorization request.',
      }),
    }),
    answer: StandInAcknowledgement,
    run: (context, { body }) => acknowledgeStandIn(context, body.transaction_ids),
  }),
  route({
    method: 'GET',
    paths: ['/v1/authorization_statistics'],
    scope: 'read',
    summary:
      'Counts authorization requests step by step: approvals, reasons, answer times, stand-in.',
    query: closed({
      from: described(
        Instant,
        'Begin of the period, ISO 8601, widened to whole steps; 24 hours before its end when left out.',
      ),
      to: described(
        Instant,
        'End of the period, ISO 8601, widened to whole steps; now when left out.',
      ),
      step: described(
        Type.Optional(Type.Enum([...STATISTICS_STEPS])),
        'Length of a step, hour when left out. Minutes reach back 48 hours, hours and days 400 days.',
      ),
      program_id: IdFilter,
    }),
    answer: AuthorizationStatistics,
    run: (context, { query }) => readAuthorizationStatistics(context, query),
  }),
  route({
    method: 'GET',
    paths: ['/v1/authorization_statistics/decline_categories'],
    scope: 'read',
    summary: 'Counts the newest 1,000 declines by the category of their merchants.',
    answer: DeclineCategories,
    run: (context) => readDeclineCategories(context),
  }),
]
