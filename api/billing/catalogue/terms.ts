// The terms of a plan: its prices and its limits. A segment of a subscription keeps a copy of the
// terms that it was opened with, so a later catalogue changes no past.

/** The counted things, each by one type of event or two. */
export const METERS = [
  'authorizations',
  'cards_issued',
  'passes_issued',
  'physical_cards',
  'identity_checks',
] as const
export type Meter = (typeof METERS)[number]

/** Meters that a tenant enables by itself. */
export const ADDON_KEYS = ['identity_checks', 'physical_cards'] as const
export type AddonKey = (typeof ADDON_KEYS)[number]

/** Self-serve tiers from the lowest to the highest, then the tier that is sold by quote. */
export const PLAN_KEYS = ['starter', 'growth', 'enterprise'] as const
export type PlanKey = (typeof PLAN_KEYS)[number]
export type SelfServePlan = Exclude<PlanKey, 'enterprise'>

export const INTERVALS = ['month', 'year'] as const
export type Interval = (typeof INTERVALS)[number]

export const CURRENCIES = ['USD', 'EUR'] as const
export type Currency = (typeof CURRENCIES)[number]

export interface MeterPrice {
  /** Units of a whole month of usage that the base price contains. */
  included: number
  /** Cents for 1,000 units more. */
  perThousandCents: number
}

export interface Terms {
  plan: PlanKey
  /** Date of the catalogue, or of the agreement for `enterprise`. */
  version: string
  /** Cents of a whole period, the same number in each currency. */
  baseCents: { readonly [interval in Interval]: number }
  meters: { readonly [meter in Meter]: MeterPrice }
  /** Real-time authorization, Spec 6.1. */
  realtime: boolean
  /** Factor of the rate limits of Spec 8. */
  rateFactor: number
  endpointsMax: number
}

/** Chosen: most that a trial makes, whatever its plan. */
export const TRIAL_CAPS = { cards_issued: 50, passes_issued: 500, identity_checks: 20 } as const
export type CappedMeter = keyof typeof TRIAL_CAPS

/** True where `to` is a higher tier than `from`. */
export function isUpgrade(from: PlanKey, to: PlanKey): boolean {
  return PLAN_KEYS.indexOf(to) > PLAN_KEYS.indexOf(from)
}
