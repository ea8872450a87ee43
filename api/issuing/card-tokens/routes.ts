// The endpoints of card tokens. Spec 5.1: a publishable key may tokenize, beside reading pass
// templates.
import { CardDetails, CardToken, FoundCardToken } from '../../../shared/schemas/card-token.ts'
import { described } from '../../../shared/schemas/described.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { closed, IdParams, type Route, route } from '../../http/route.ts'
import { createCardToken } from './create.ts'
import { findCardToken } from './store.ts'
import { foundCardTokenView } from './view.ts'

export const cardTokenRoutes: readonly Route[] = [
  route({
    method: 'POST',
    paths: ['/v1/tokens'],
    scope: 'write',
    entitled: 'always',
    summary:
      'Exchanges the details of a card for a token that can be used once, within ten minutes.',
    family: 'card',
    publishable: true,
    body: closed({
      card: described(CardDetails, 'Only brand, last four digits and expiry are ever shown again.'),
    }),
    answer: CardToken,
    status: 201,
    run: (context, { body }) => createCardToken(context, body.card),
  }),
  route({
    method: 'GET',
    paths: ['/v1/tokens/:id'],
    scope: 'read',
    summary: 'Returns one card token, and which card of yours it stands for.',
    family: 'card',
    params: IdParams,
    answer: FoundCardToken,
    run: (context, { params }) => readCardToken(context, params.id),
  }),
]

/** Chosen: a used or expired token is shown for a day more, so that a tenant sees its end. */
async function readCardToken({ sql, principal }: Context, id: string): Promise<FoundCardToken> {
  const token = await findCardToken(sql, principal, id)
  if (token === null) throw new Refusal('resource_missing')
  return foundCardTokenView(token)
}
