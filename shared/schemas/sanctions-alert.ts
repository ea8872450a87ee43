// The hits of a screening as the outside sees them: names on a list that a person has to compare
// with a cardholder.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'

export const ALERT_STATUSES = ['open', 'dismissed', 'confirmed'] as const
export type AlertStatus = (typeof ALERT_STATUSES)[number]

const SanctionsHit = Type.Object({
  listed_id: described(
    Type.String(),
    'The list and its own id of the entry, for example ofac:2674.',
  ),
  kind: described(
    Type.Enum(['sanctions', 'pep']),
    'A list of sanctions, or of politically exposed persons.',
  ),
  name: described(Type.String(), 'The name on the list that is most alike.'),
  program: described(Type.String(), 'Why they are listed, in the list’s own words.'),
  score: described(Type.Integer(), 'How alike, to 100.'),
  reasons: described(Type.Array(Type.String()), 'The reasons for and against the match.'),
})
export type SanctionsHit = Static<typeof SanctionsHit>

export const SanctionsAlert = Type.Object({
  id: Type.String(),
  object: Type.Literal('sanctions_alert'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  cardholder_id: Type.String(),
  status: described(
    Type.Enum([...ALERT_STATUSES]),
    'Dismissed: the cardholder is another person. Confirmed: the cardholder is the person on the list and stays frozen.',
  ),
  hits: described(Type.Array(SanctionsHit), 'Best first.'),
  list_version: described(Type.String(), 'The version of the lists in the screening.'),
  reviewed_at: described(
    Type.Union([Type.Integer(), Type.Null()]),
    'Unix seconds; null before the decision.',
  ),
})
export type SanctionsAlert = Static<typeof SanctionsAlert>

/** An alert as operators see it, who review it. */
export const OperatorSanctionsAlert = Type.Object({
  ...SanctionsAlert.properties,
  tenant_id: Type.String(),
  reviewed_by: described(
    Type.Union([Type.String(), Type.Null()]),
    'The operator who decided; null before.',
  ),
  note: described(
    Type.Union([Type.String(), Type.Null()]),
    "The operator's note; the tenant never sees it.",
  ),
})
export type OperatorSanctionsAlert = Static<typeof OperatorSanctionsAlert>
