// The merchant (by the network's merchant id) must be allowed, or not blocked, by every control.
import { listRule } from './list-rule.ts'

export const merchantAllowed = listRule({
  id: 'merchant_allowed',
  reason: 'merchant_blocked',
  listOf: (control) => control.merchants,
  valueOf: (judged) => judged.message.merchantId,
})
