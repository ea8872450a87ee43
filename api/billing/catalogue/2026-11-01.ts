// The catalogue of 2026-11-01. Chosen: every price. A catalogue is never edited; a change of prices
// is a file with a later date.
import type { SelfServePlan, Terms } from './terms.ts'

const VERSION = '2026-11-01'

/** Add-ons cost the same in both plans. */
const ADDONS = {
  physical_cards: { included: 0, perThousandCents: 600_000 },
  identity_checks: { included: 0, perThousandCents: 150_000 },
} as const

export const CATALOGUE_2026_11_01: { readonly [plan in SelfServePlan]: Terms } = {
  starter: {
    plan: 'starter',
    version: VERSION,
    baseCents: { month: 4900, year: 49_000 },
    meters: {
      authorizations: { included: 10_000, perThousandCents: 900 },
      cards_issued: { included: 100, perThousandCents: 10_000 },
      passes_issued: { included: 1000, perThousandCents: 2000 },
      ...ADDONS,
    },
    realtime: false,
    rateFactor: 1,
    endpointsMax: 5,
  },
  growth: {
    plan: 'growth',
    version: VERSION,
    baseCents: { month: 49_900, year: 499_000 },
    meters: {
      authorizations: { included: 250_000, perThousandCents: 500 },
      cards_issued: { included: 2500, perThousandCents: 6000 },
      passes_issued: { included: 25_000, perThousandCents: 1000 },
      ...ADDONS,
    },
    realtime: false,
    rateFactor: 1,
    endpointsMax: 10,
  },
}
