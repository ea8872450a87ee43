// A cardholder as the outside sees it: a person who may hold cards.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { TENANT_FIELDS } from './tenant-fields.ts'

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
  state: described(TextOrNull, 'State, province or region; null where there is none.'),
  postal_code: TextOrNull,
  country: described(Type.String(), 'ISO 3166-1 alpha-2.'),
})
export type Address = Static<typeof Address>

export const Kyc = Type.Object({
  status: described(Type.Enum([...KYC_STATUSES]), 'Cards are issued to the approved only.'),
  reasons: described(
    Type.Array(Type.String()),
    "Why it is rejected or requires action, in the provider's words; empty otherwise.",
  ),
  verification_id: described(TextOrNull, 'The latest verification; null before the first.'),
  completed_at: described(
    Type.Union([Type.Integer(), Type.Null()]),
    'Unix seconds of approval or rejection; null before.',
  ),
})
export type Kyc = Static<typeof Kyc>

export const Screening = Type.Object({
  status: described(
    Type.Enum(['pending', 'clear', 'alert', 'confirmed']),
    'Pending: not screened yet. Alert: a hit awaits its review, and they are frozen. Confirmed: they stay frozen for good.',
  ),
  screened_at: described(
    Type.Union([Type.Integer(), Type.Null()]),
    'Unix seconds; null before the first screening.',
  ),
  list_version: described(
    TextOrNull,
    'The version of the lists in the latest screening; null before the first.',
  ),
  open_alert_ids: described(
    Type.Array(Type.String()),
    'Alerts that await their review, oldest first.',
  ),
})
export type Screening = Static<typeof Screening>

export const Cardholder = Type.Object({
  id: Type.String(),
  object: Type.Literal('cardholder'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  program_id: Type.String(),
  type: described(Type.Literal('individual'), 'Cardholders are persons.'),
  name: described(Type.String(), 'The whole name.'),
  first_name: described(TextOrNull, 'The given name; null where only the whole name is known.'),
  last_name: described(TextOrNull, 'The family name; null where only the whole name is known.'),
  email: described(TextOrNull, 'Where they are written to; null where it is not known.'),
  phone: described(TextOrNull, 'E.164.'),
  date_of_birth: described(TextOrNull, 'YYYY-MM-DD.'),
  address: described(
    Type.Union([Address, Type.Null()]),
    'Where they live; null where it is not known.',
  ),
  status: described(
    Type.Enum([...CARDHOLDER_STATUSES]),
    'An inactive cardholder gets no cards, and every authorization of theirs is declined.',
  ),
  kyc: described(Kyc, 'Where the verification of their identity stands.'),
  screening: described(Screening, 'Whether they stand on a sanctions or PEP list.'),
  frozen: described(
    Type.Boolean(),
    'While true, every authorization of every card of this cardholder is declined, whatever status says.',
  ),
  frozen_reason: described(
    TextOrNull,
    'The reason of the freeze, in the words of the party that froze them; null while they are not frozen.',
  ),
  frozen_by: described(
    Type.Union([Type.Enum([...FREEZERS], { title: 'FrozenBy' }), Type.Null()]),
    'The party that froze the cardholder; null while they are not frozen.',
  ),
  erased_at: described(
    Type.Union([Type.Integer(), Type.Null()]),
    'Unix seconds of the erasure: name, details, external_id and metadata are gone, and nothing changes any more; null before.',
  ),
  ...TENANT_FIELDS,
})
export type Cardholder = Static<typeof Cardholder>
