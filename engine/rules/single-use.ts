// A control of single use lets one authorization be approved, of exactly or at most an amount. An increment of it is part of
// it, and so is judged by the whole amount. Chosen: nothing is asked of an amount of 0, which uses nothing.
import type { DeclineReason } from '../../shared/decline-reason.ts'
import type { TraceRow } from '../../shared/rule-catalog.ts'
import { controlRule } from './control-rule.ts'
import { traceRow } from './rule.ts'

export const singleUse = controlRule({
  id: 'single_use',
  concerns: (control) => control.single_use !== null,
  rowOf: ({ message, cardAmountCents, chainCents }, { scope, control, uses }) =>
    control.single_use === null
      ? null
      : traceRow(
          'single_use',
          scope,
          control.id,
          uses,
          message.kind === 'incremental',
          control.single_use.mode,
          control.single_use.amount_cents,
          chainCents + cardAmountCents,
        ),
  decide(row) {
    if (Number(row[5]) > 0 && row[6] !== true) return 'card_single_use_spent'
    return amountReason(row)
  },
})

function amountReason(row: TraceRow): DeclineReason | null {
  const [mode, amount, requested] = [row[7], row[8], Number(row[9])]
  if (amount === null || requested === 0) return null
  if (requested > Number(amount)) return 'limit_per_authorization'
  return mode === 'exact' && requested !== Number(amount) ? 'invalid_amount' : null
}
