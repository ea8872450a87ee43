// The way the card was read must be allowed, or not blocked, by every control.
import { listRule } from './list-rule.ts'

export const entryMethodAllowed = listRule({
  id: 'entry_method_allowed',
  reason: 'entry_method_blocked',
  listOf: (control) => control.entry_methods,
  valueOf: (judged) => judged.message.entryMethod,
})
