// Payment methods of a tenant at the processor, and visits of the processor's portal.
import { type Static, Type } from 'typebox'

export const PaymentMethod = Type.Object({
  id: Type.String(),
  object: Type.Literal('payment_method'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  /** `detached` once it was removed; it then pays nothing. */
  status: Type.Enum(['attached', 'detached']),
  /** Whether invoices are charged to it. */
  default: Type.Boolean(),
  /** The brand of the card. */
  brand: Type.String(),
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
  /** The page of yours to which the portal leads back. */
  return_url: Type.String(),
})
export type PortalSession = Static<typeof PortalSession>

/** The answer of the call that opens the portal; nothing else shows the address. */
export const OpenedPortalSession = Type.Object({
  ...PortalSession.properties,
  /** The address of the portal, for one person and a short time. */
  url: Type.String(),
})
export type OpenedPortalSession = Static<typeof OpenedPortalSession>
