// The card must be activated, not suspended and not terminated.
import type { DeclineReason } from '../../shared/decline-reason.ts'
import { RULE_CATALOG } from '../../shared/rule-catalog.ts'
import { pass, passingRow, type Rule, recordRow } from './rule.ts'

const { number: NUMBER, version: VERSION } = RULE_CATALOG.card_state
const ACTIVE = passingRow(RULE_CATALOG.card_state, 'active')

const REASONS: { readonly [status: string]: DeclineReason | null } = {
  issued: 'card_not_activated',
  active: null,
  suspended: 'card_suspended',
  terminated: 'card_terminated',
  lost: 'card_lost',
  stolen: 'card_stolen',
}

export const cardState: Rule = {
  id: 'card_state',
  judge({ card }, trace) {
    if (card.status === 'active' && card.loss === null) return pass(ACTIVE, trace)
    // The loss or status says more than "terminated", so it is recorded instead.
    return recordRow(cardState, [NUMBER, VERSION, 0, card.loss ?? card.status], trace)
  },
  decide(row) {
    const reason = REASONS[String(row[3])]
    return reason === undefined ? 'card_terminated' : reason
  },
}
