// The hits of a screening as the outside sees them: names on a list that a person has to compare
// with a cardholder.
import { type Static, Type } from 'typebox'

export const ALERT_STATUSES = ['open', 'dismissed', 'confirmed'] as const
export type AlertStatus = (typeof ALERT_STATUSES)[number]

const SanctionsHit = Type.Object({
  /** The list and its own id of the entry, for example ofac:2674. */
  listed_id: Type.String(),
  /** A list of sanctions, or of politically exposed persons. */
  kind: Type.Enum(['sanctions', 'pep']),
  /** The name on the list that is most alike. */
  name: Type.String(),
  /** Why they are listed, in the list’s own words. */
  program: Type.String(),
  /** How alike, to 100. */
  score: Type.Integer(),
  /** The reasons for and against the match. */
  reasons: Type.Array(Type.String()),
})
export type SanctionsHit = Static<typeof SanctionsHit>

export const SanctionsAlert = Type.Object({
  id: Type.String(),
  object: Type.Literal('sanctions_alert'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  cardholder_id: Type.String(),
  /**
   * Dismissed: the cardholder is another person. Confirmed: the cardholder is the person on the
   * list and stays frozen.
   */
  status: Type.Enum([...ALERT_STATUSES]),
  /** Best first. */
  hits: Type.Array(SanctionsHit),
  /** The version of the lists in the screening. */
  list_version: Type.String(),
  /** Unix seconds; null before the decision. */
  reviewed_at: Type.Union([Type.Integer(), Type.Null()]),
})
export type SanctionsAlert = Static<typeof SanctionsAlert>

/** An alert as operators see it, who review it. */
export const OperatorSanctionsAlert = Type.Object({
  ...SanctionsAlert.properties,
  tenant_id: Type.String(),
  /** The operator who decided; null before. */
  reviewed_by: Type.Union([Type.String(), Type.Null()]),
  /** The operator's note; the tenant never sees it. */
  note: Type.Union([Type.String(), Type.Null()]),
})
export type OperatorSanctionsAlert = Static<typeof OperatorSanctionsAlert>
