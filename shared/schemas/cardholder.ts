// A cardholder as the outside sees it.
import { type Static, Type } from 'typebox'

const CARDHOLDER_STATUSES = ['active', 'inactive'] as const

export const Cardholder = Type.Object({
  id: Type.String(),
  object: Type.Literal('cardholder'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  program_id: Type.String(),
  name: Type.String(),
  status: Type.Enum([...CARDHOLDER_STATUSES]),
  /** While true, every authorization of every card of this cardholder is declined, whatever `status` says. */
  frozen: Type.Boolean(),
  frozen_reason: Type.Optional(Type.String()),
})
export type Cardholder = Static<typeof Cardholder>
