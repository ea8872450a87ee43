// A control that ends after so many approved authorizations lets nothing more pass, but increments of those it approved.
import { controlRule } from './control-rule.ts'
import { traceRow } from './rule.ts'

export const usesLeft = controlRule({
  id: 'uses_left',
  concerns: (control) => control.cancel_after !== null,
  rowOf: ({ message }, { scope, control, uses }) =>
    traceRow(
      'uses_left',
      scope,
      control.id,
      uses,
      message.kind === 'incremental',
      control.cancel_after,
    ),
  decide: (row) =>
    row[6] !== true && Number(row[5]) >= Number(row[7]) ? 'card_single_use_spent' : null,
})
