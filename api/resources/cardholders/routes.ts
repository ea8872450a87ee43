// The endpoints of cardholders.
import { Cardholder } from '../../../shared/schemas/cardholder.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import { CREATED_FILTERS } from '../../created-filter.ts'
import { PAGE_QUERY } from '../../database/page.ts'
import { closed, IdParams, Reason, type Route, route } from '../../route.ts'
import { freezeCardholder } from './freeze.ts'
import { readCardholder, readCardholders } from './read.ts'
import { unfreezeCardholder } from './unfreeze.ts'

export const cardholderRoutes: readonly Route[] = [
  route({
    method: 'GET',
    paths: ['/v1/cardholders'],
    scope: 'read',
    summary: 'Lists cardholders, newest first.',
    family: 'card',
    query: closed({ ...PAGE_QUERY, ...CREATED_FILTERS }),
    answer: PageOf(Cardholder),
    run: (context, { query }) => readCardholders(context, query),
  }),
  route({
    method: 'GET',
    paths: ['/v1/cardholders/:id'],
    scope: 'read',
    summary: 'Returns one cardholder.',
    family: 'card',
    params: IdParams,
    answer: Cardholder,
    run: (context, { params }) => readCardholder(context, params.id),
  }),
  route({
    method: 'POST',
    paths: ['/v1/cardholders/:id/freeze'],
    scope: 'write',
    summary: 'Freezes a cardholder: every authorization of every card is declined from then on.',
    family: 'card',
    params: IdParams,
    body: closed({ reason: Reason }),
    answer: Cardholder,
    run: (context, { params, body }) =>
      freezeCardholder(context, { cardholderId: params.id, reason: body.reason ?? null }),
  }),
  route({
    method: 'POST',
    paths: ['/v1/cardholders/:id/unfreeze'],
    scope: 'write',
    summary: 'Lets a frozen cardholder pay again.',
    family: 'card',
    params: IdParams,
    answer: Cardholder,
    run: (context, { params }) => unfreezeCardholder(context, { cardholderId: params.id }),
  }),
]
