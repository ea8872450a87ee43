// A chip card whose stripe was read: how a copied card is used. Declined where a control says so.
import { controlRule } from './control-rule.ts'
import { traceRow } from './rule.ts'

export const chipNotBypassed = controlRule({
  id: 'chip_not_bypassed',
  concerns: (control) => control.fallback !== null,
  rowOf: ({ message }, { scope, control }) =>
    traceRow('chip_not_bypassed', scope, control.id, message.fallbackFromChip),
  decide: (row) => (row[5] === false ? null : 'insecure_entry_method'),
})
