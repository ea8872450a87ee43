// Reports about cards from those who make and ship them. Operators call these routes; a tenant's
// key finds nothing here.
import { Type } from '../../../shared/schema-builders.ts'
import { Card } from '../../../shared/schemas/card.ts'
import { described } from '../../../shared/schemas/described.ts'
import { closed, IdParams, operatorRoute, type Route } from '../../http/route.ts'
import { markForOwner, shipForOwner } from './operator-ship.ts'

const Word = Type.String({ minLength: 1, maxLength: 64, pattern: '^[^\\u0000-\\u001f\\u007f]*$' })

export const cardOperatorRoutes: readonly Route[] = [
  operatorRoute({
    method: 'POST',
    paths: ['/operator/v1/cards/:id/ship'],
    summary: 'Says that a physical card was handed to the carrier.',
    params: IdParams,
    body: closed({
      carrier: described(Word, 'Name of the carrier.'),
      tracking_number: described(
        Word,
        "The carrier's number of the shipment; the tenant and the cardholder see it.",
      ),
    }),
    answer: Card,
    run: (context, { params, body: { carrier, tracking_number: trackingNumber } }) =>
      shipForOwner(context, { cardId: params.id, carrier, trackingNumber }),
  }),
  ...(['deliver', 'return'] as const).map((move) =>
    operatorRoute({
      method: 'POST',
      paths: ['/operator/v1/cards/:id/' + move],
      summary:
        move === 'deliver'
          ? 'Says that a card has reached its address.'
          : 'Says that a card has come back; it may be sent again.',
      params: IdParams,
      answer: Card,
      run: (context, { params }) => markForOwner(context, { cardId: params.id, move }),
    }),
  ),
]
