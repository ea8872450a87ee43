// A single-use control allows one approved authorization, of exactly or at most an amount. An
// increment is part of the authorization, so the rule judges the whole amount. Chosen: an amount of
// 0 always passes, because it uses nothing.
import type { DeclineReason } from '../../shared/decline-reason.ts'
import { RULE_CATALOG, type TraceRow } from '../../shared/rule-catalog.ts'
import { type ControlRule, usesOf } from './control-rule.ts'
import type { SingleUse } from './rule.ts'

const { number: NUMBER, version: VERSION } = RULE_CATALOG.single_use

export const singleUse: ControlRule<SingleUse> = {
  id: 'single_use',
  asks: (control) => control.single_use,
  rowOf: ({ message, cardAmountCents, chainCents }, bound, asker, asked) => [
    NUMBER,
    VERSION,
    0,
    bound.scope,
    asker,
    usesOf(bound, asker).uses,
    message.kind === 'incremental',
    asked.mode,
    asked.amount_cents,
    chainCents + cardAmountCents,
  ],
  decide(row) {
    if (Number(row[5]) > 0 && row[6] !== true) return 'card_single_use_spent'
    return amountReason(row)
  },
}

function amountReason(row: TraceRow): DeclineReason | null {
  const [mode, amount, requested] = [row[7], row[8], Number(row[9])]
  if (amount === null || requested === 0) return null
  if (requested > Number(amount)) return 'limit_per_authorization'
  return mode === 'exact' && requested !== Number(amount) ? 'invalid_amount' : null
}
