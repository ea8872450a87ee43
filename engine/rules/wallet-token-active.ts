// A used wallet token must belong to this card and be active.
import { RULE_CATALOG } from '../../shared/rule-catalog.ts'
import { type Rule, recordRow } from './rule.ts'

const { number: NUMBER, version: VERSION } = RULE_CATALOG.wallet_token_active

export const walletTokenActive: Rule = {
  id: 'wallet_token_active',
  judge: (judged, trace) =>
    judged.walletToken === null
      ? null
      : recordRow(walletTokenActive, [NUMBER, VERSION, 0, judged.walletToken], trace),
  decide: (row) => (row[3] === 'active' ? null : 'token_inactive'),
}
