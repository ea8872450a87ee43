// The merchant's currency must be allowed, or not blocked, by every control, whatever the card's
// is.
import { listRule } from './list-rule.ts'

export const currencyAllowed = listRule({
  id: 'currency_allowed',
  reason: 'currency_blocked',
  listOf: (control) => control.currencies,
  valueOf: (judged) => judged.message.currency,
})
