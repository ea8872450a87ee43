// The endpoints that move a card from one state to another.
import { Type } from '../../../shared/schema-builders.ts'
import { Card } from '../../../shared/schemas/card.ts'
import { described } from '../../../shared/schemas/described.ts'
import { closed, IdParams, Reason, type Route, route } from '../../http/route.ts'
import { inPasses, type PassPorts } from '../../passes/passes/index.ts'
import { activateCard } from './activate.ts'
import { replaceCard } from './replace.ts'
import { resumeCard } from './resume.ts'
import { suspendCard } from './suspend.ts'
import { terminateCard } from './terminate.ts'

// Absent: the tenant acts for itself.
const OnBehalfOf = Type.Optional(Type.Literal('cardholder'))

export const cardMoveRoutes: readonly Route<PassPorts>[] = [
  route({
    method: 'POST',
    paths: ['/v1/cards/:id/activate'],
    scope: 'write',
    entitled: 'always',
    summary: 'Activates a physical card that its cardholder has in hand.',
    family: 'card',
    params: IdParams,
    body: closed({
      last4: Type.Optional(
        Type.String({
          pattern: '^[0-9]{4}$',
          description:
            'The last four digits, as the cardholder reads them from the card. This, or token.',
        }),
      ),
      token: described(
        Type.Optional(Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' })),
        'A card token (/v1/tokens) of the whole card, instead of last4; it is used up.',
      ),
    }),
    answer: Card,
    run: (context, { params, body }) => activateCard(context, { cardId: params.id, proof: body }),
  }),
  route({
    method: 'POST',
    paths: ['/v1/cards/:id/suspend'],
    scope: 'write',
    entitled: 'always',
    summary: 'Suspends a card: authorizations are declined until it is resumed.',
    family: 'card',
    params: IdParams,
    body: closed({
      reason: Reason,
      on_behalf_of: described(
        OnBehalfOf,
        'The party that asks for it: cardholder, or you if it is left out. A cardholder may not lift your own suspension.',
      ),
    }),
    answer: Card,
    run: (context, { params, body: { reason = null, on_behalf_of } }) =>
      suspendCard(context, { cardId: params.id, reason, by: on_behalf_of ?? 'tenant' }),
  }),
  route({
    method: 'POST',
    paths: ['/v1/cards/:id/resume'],
    scope: 'write',
    entitled: 'always',
    summary: 'Makes a suspended card active again.',
    family: 'card',
    params: IdParams,
    body: closed({
      on_behalf_of: OnBehalfOf,
      acknowledge_fraud: described(
        Type.Optional(Type.Boolean()),
        'True if you know that a fraud rule suspended the card. Without it such a card stays suspended.',
      ),
    }),
    answer: Card,
    run: (context, { params, body }) =>
      resumeCard(context, {
        cardId: params.id,
        by: body.on_behalf_of ?? 'tenant',
        acknowledgeFraud: body.acknowledge_fraud ?? false,
      }),
  }),
  route({
    method: 'POST',
    paths: ['/v1/cards/:id/terminate'],
    scope: 'write',
    entitled: 'always',
    summary: 'Ends a card for ever; the reasons lost and stolen are told to the network.',
    family: 'card',
    params: IdParams,
    body: closed({ reason: Reason }),
    answer: Card,
    run: (context, { params, body: { reason = null } }, ports: PassPorts) =>
      terminateCard(inPasses(context, ports), { cardId: params.id, reason }),
  }),
  route({
    method: 'POST',
    paths: ['/v1/cards/:id/replace'],
    scope: 'write',
    entitled: 'issuing',
    summary:
      'Terminates a card and issues another one in its place, which keeps its controls and what they counted.',
    family: 'card',
    params: IdParams,
    body: closed({ reason: Reason }),
    answer: Card,
    status: 201,
    run: (context, { params, body: { reason = null } }, ports: PassPorts) =>
      replaceCard(inPasses(context, ports), { cardId: params.id, reason }),
  }),
]
