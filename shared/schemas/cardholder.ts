// A cardholder as the outside sees it: a person who may hold cards.
import { type Static, Type } from 'typebox'
import { OWN_DATA } from './own-data.ts'

export const CARDHOLDER_STATUSES = ['active', 'inactive'] as const

/** Where the verification of a person stands. Cards are issued to the approved only. */
const KYC_STATUSES = ['not_started', 'pending', 'requires_action', 'approved', 'rejected'] as const

/**
 * Parties that can freeze a cardholder, from the weakest to the strongest. A weaker party cannot
 * lift the freeze of a stronger one.
 */
export const FREEZERS = ['tenant', 'operator', 'sanctions'] as const

const TextOrNull = Type.Union([Type.String(), Type.Null()])

export const Address = Type.Object({
  line1: Type.String(),
  line2: TextOrNull,
  city: Type.String(),
  state: TextOrNull,
  postal_code: TextOrNull,
  /** ISO 3166-1 alpha-2. */
  country: Type.String(),
})
export type Address = Static<typeof Address>

export const Kyc = Type.Object({
  /** Cards are issued to the approved only. */
  status: Type.Enum([...KYC_STATUSES]),
  /** Why it is rejected or requires action, in the provider's words; empty otherwise. */
  reasons: Type.Array(Type.String()),
  /** The latest verification; null before the first. */
  verification_id: TextOrNull,
  /** Unix seconds of approval or rejection; null before. */
  completed_at: Type.Union([Type.Integer(), Type.Null()]),
})
export type Kyc = Static<typeof Kyc>

export const Screening = Type.Object({
  /**
   * Pending: not screened yet. Alert: a hit awaits its review, and they are frozen. Confirmed: they
   * stay frozen for good.
   */
  status: Type.Enum(['pending', 'clear', 'alert', 'confirmed']),
  /** Unix seconds; null before the first screening. */
  screened_at: Type.Union([Type.Integer(), Type.Null()]),
  /** The version of the lists in the latest screening; null before the first. */
  list_version: TextOrNull,
  /** Alerts that await their review, oldest first. */
  open_alert_ids: Type.Array(Type.String()),
})
export type Screening = Static<typeof Screening>

export const Cardholder = Type.Object({
  id: Type.String(),
  object: Type.Literal('cardholder'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  program_id: Type.String(),
  /** Cardholders are persons. */
  type: Type.Literal('individual'),
  /** The whole name. */
  name: Type.String(),
  /** The given name; null where only the whole name is known. */
  first_name: TextOrNull,
  /** The family name; null where only the whole name is known. */
  last_name: TextOrNull,
  /** Where they are written to; null where it is not known. */
  email: TextOrNull,
  /** E.164. */
  phone: TextOrNull,
  /** YYYY-MM-DD. */
  date_of_birth: TextOrNull,
  /** Where they live; null where it is not known. */
  address: Type.Union([Address, Type.Null()]),
  /** An inactive cardholder gets no cards, and every authorization of theirs is declined. */
  status: Type.Enum([...CARDHOLDER_STATUSES]),
  /** Where the verification of their identity stands. */
  kyc: Kyc,
  /** Whether they stand on a sanctions or PEP list. */
  screening: Screening,
  /**
   * While true, every authorization of every card of this cardholder is declined, whatever `status`
   * says.
   */
  frozen: Type.Boolean(),
  /**
   * The reason of the freeze, in the words of the party that froze them; null while they are not
   * frozen.
   */
  frozen_reason: TextOrNull,
  /** The party that froze the cardholder; null while they are not frozen. */
  frozen_by: Type.Union([Type.Enum([...FREEZERS], { title: 'FrozenBy' }), Type.Null()]),
  /**
   * Unix seconds of the erasure: name, details and own data are gone, and nothing changes any more;
   * null before.
   */
  erased_at: Type.Union([Type.Integer(), Type.Null()]),
  ...OWN_DATA,
})
export type Cardholder = Static<typeof Cardholder>
