// The merchant's category (MCC, ISO 18245) must be allowed, or not blocked, by every control.
import { listRule } from './list-rule.ts'
import { isMccListed } from './listed.ts'

export const merchantCategoryAllowed = listRule({
  id: 'merchant_category_allowed',
  reason: 'merchant_category_blocked',
  listOf: (control) => control.mccs,
  valueOf: (judged) => judged.message.mcc,
  isListed: isMccListed,
})
