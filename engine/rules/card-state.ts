// The card must be activated, not suspended and not terminated.
import type { DeclineReason } from '../../shared/decline-reason.ts'
import { type Rule, recordRow, traceRow } from './rule.ts'

const REASONS: { readonly [status: string]: DeclineReason | null } = {
  issued: 'card_not_activated',
  active: null,
  suspended: 'card_suspended',
  terminated: 'card_terminated',
}

export const cardState: Rule = {
  id: 'card_state',
  judge: (judged, trace) => recordRow(cardState, traceRow('card_state', judged.card.status), trace),
  decide(row) {
    const reason = REASONS[String(row[3])]
    return reason === undefined ? 'card_terminated' : reason
  },
}
