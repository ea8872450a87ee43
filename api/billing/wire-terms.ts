// Terms between their two forms: ours, and that of requests and answers.
import type { AgreedTerms, BillingPlan, MeterPrices } from '../../shared/schemas/billing-terms.ts'
import { METERS, type Terms } from './catalogue/index.ts'

function pricesView({ meters }: Terms): MeterPrices {
  const rows = METERS.map((meter) => {
    const { included, perThousandCents } = meters[meter]
    return [meter, { included, per_thousand_cents: perThousandCents }]
  })
  return Object.fromEntries(rows) as MeterPrices
}

/** A plan of the catalogue as tenants see it. */
export function planView(terms: Terms & { plan: BillingPlan['key'] }): BillingPlan {
  return {
    object: 'billing_plan',
    key: terms.plan,
    version: terms.version,
    month_cents: terms.baseCents.month,
    year_cents: terms.baseCents.year,
    meters: pricesView(terms),
    realtime: terms.realtime,
    rate_factor: terms.rateFactor,
    endpoints_max: terms.endpointsMax,
  }
}

/** The terms of an agreement; `version` names it. Only the agreed interval has a price. */
export function enterpriseTerms(agreed: AgreedTerms, version: string): Terms {
  const prices = METERS.map((meter) => {
    const { included, per_thousand_cents: perThousandCents } = agreed.meters[meter]
    return [meter, { included, perThousandCents }]
  })
  return {
    plan: 'enterprise',
    version,
    baseCents: { month: 0, year: 0, [agreed.interval]: agreed.base_cents },
    meters: Object.fromEntries(prices) as Terms['meters'],
    realtime: agreed.realtime,
    rateFactor: agreed.rate_factor,
    endpointsMax: agreed.endpoints_max,
  }
}
