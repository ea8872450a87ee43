// The merchant's country (ISO 3166 alpha-2) must be allowed, or not blocked, by every control.
import { listRule } from './list-rule.ts'

export const merchantCountryAllowed = listRule({
  id: 'merchant_country_allowed',
  reason: 'merchant_country_blocked',
  listOf: (control) => control.countries,
  valueOf: (judged) => judged.message.country,
})
