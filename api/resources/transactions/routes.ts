// The endpoints of card transactions.
import { Type } from 'typebox'
import { AUTHORIZATION_KINDS } from '../../../shared/authorization-kind.ts'
import { TRANSACTION_STATUSES } from '../../../shared/transaction-sums.ts'
import { CREATED_FILTERS } from '../../created-filter.ts'
import { PAGE_QUERY } from '../../database/page.ts'
import { closed, IdFilter, IdParams, type Route, route } from '../../route.ts'
import { readMessages, readTransaction, readTransactions } from './read.ts'

const YesOrNo = Type.Optional(Type.Enum(['true', 'false']))

export const transactionRoutes: readonly Route[] = [
  route({
    method: 'GET',
    paths: ['/v1/card_transactions'],
    scope: 'read',
    query: closed({
      ...PAGE_QUERY,
      ...CREATED_FILTERS,
      card_id: IdFilter,
      cardholder_id: IdFilter,
      status: Type.Optional(Type.Enum([...TRANSACTION_STATUSES])),
      /** `authorization_request.kind`. */
      kind: Type.Optional(Type.Enum([...AUTHORIZATION_KINDS])),
      /** Any of its questions was decided by stand-in. */
      stand_in: YesOrNo,
      /** Its tenant answered after the deadline. */
      late_answer: YesOrNo,
      network_transaction_id: Type.Optional(
        Type.String({ minLength: 1, maxLength: 128, pattern: '^[\\x21-\\x7e]+$' }),
      ),
    }),
    answer: null,
    run: (context, { query }) => readTransactions(context, query),
  }),
  route({
    method: 'GET',
    paths: ['/v1/card_transactions/:id'],
    scope: 'read',
    params: IdParams,
    answer: null,
    run: (context, { params }) => readTransaction(context, params.id),
  }),
  route({
    method: 'GET',
    paths: ['/v1/card_transactions/:id/messages'],
    scope: 'read',
    params: IdParams,
    query: closed(PAGE_QUERY),
    answer: null,
    run: (context, { params, query }) =>
      readMessages(context, { ...query, transactionId: params.id }),
  }),
]
