// Payment methods of a tenant at the processor, and visits of the processor's portal.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'

export const PaymentMethod = Type.Object({
  id: Type.String(),
  object: Type.Literal('payment_method'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  status: described(
    Type.Enum(['attached', 'detached']),
    'Detached once it was removed; it then pays nothing.',
  ),
  default: described(Type.Boolean(), 'Whether invoices are charged to it.'),
  brand: described(Type.String(), 'The brand of the card.'),
  last4: Type.String(),
  exp_month: Type.Integer(),
  exp_year: Type.Integer(),
})
export type PaymentMethod = Static<typeof PaymentMethod>

export const PaymentMethods = Type.Object({ data: Type.Array(PaymentMethod) })

export const PortalSession = Type.Object({
  id: Type.String(),
  object: Type.Literal('portal_session'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  return_url: described(Type.String(), 'The page of yours to which the portal leads back.'),
})
export type PortalSession = Static<typeof PortalSession>

/** The answer of the call that opens the portal; nothing else shows the address. */
export const OpenedPortalSession = Type.Object({
  ...PortalSession.properties,
  url: described(Type.String(), 'The address of the portal, for one person and a short time.'),
})
export type OpenedPortalSession = Static<typeof OpenedPortalSession>
