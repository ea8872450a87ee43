// The request's kind (a purchase, cash, an increment, …) must be allowed, or not blocked, by every
// control.
import { controlKind } from '../../shared/authorization-kind.ts'
import { listRule } from './list-rule.ts'

export const kindAllowed = listRule({
  id: 'kind_allowed',
  reason: 'transaction_kind_blocked',
  listOf: (control) => control.kinds,
  valueOf: (judged) => controlKind(judged.message),
})
