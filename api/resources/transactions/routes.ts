// The endpoints of card transactions.
import { Type } from 'typebox'
import { CREATED_FILTERS } from '../../created-filter.ts'
import { PAGE_QUERY } from '../../database/page.ts'
import { closed, IdFilter, IdParams, type Route, route } from '../../route.ts'
import { readTransaction, readTransactions } from './read.ts'
import { TRANSACTION_STATUSES } from './states.ts'

export const transactionRoutes: readonly Route[] = [
  route({
    method: 'GET',
    paths: ['/v1/card_transactions'],
    scope: 'read',
    query: closed({
      ...PAGE_QUERY,
      ...CREATED_FILTERS,
      card_id: IdFilter,
      status: Type.Optional(Type.Enum([...TRANSACTION_STATUSES])),
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
]
