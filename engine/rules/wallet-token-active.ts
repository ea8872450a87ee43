// A wallet token that was used must be one of this card's, and active.
import { type Rule, recordRow, traceRow } from './rule.ts'

export const walletTokenActive: Rule = {
  id: 'wallet_token_active',
  judge: (judged, trace) =>
    judged.walletToken === null
      ? null
      : recordRow(walletTokenActive, traceRow('wallet_token_active', judged.walletToken), trace),
  decide: (row) => (row[3] === 'active' ? null : 'token_inactive'),
}
