// The merchant's category (MCC, ISO 18245) must be allowed, or not blocked, by every scope.
import { listRule } from './list-rule.ts'

export const merchantCategoryAllowed = listRule({
  id: 'merchant_category_allowed',
  reason: 'merchant_category_blocked',
  listOf: (control) => control.mccs,
  valueOf: (judged) => judged.message.mcc,
})
