// A locked control belongs to the merchant of the first authorization approved under it. Chosen:
// while that first one waits for its tenant, the merchant is not known, so nothing else passes.
import { RULE_CATALOG } from '../../shared/rule-catalog.ts'
import { type ControlRule, usesOf } from './control-rule.ts'

const { number: NUMBER, version: VERSION } = RULE_CATALOG.merchant_lock

export const merchantLock: ControlRule<true> = {
  id: 'merchant_lock',
  asks: (control) => (control.merchant_lock ? true : null),
  rowOf({ message }, bound, asker) {
    const { lockedMerchant, usesWaiting } = usesOf(bound, asker)
    const { merchantId } = message
    return [NUMBER, VERSION, 0, bound.scope, asker, merchantId, lockedMerchant, usesWaiting]
  },
  decide(row) {
    if (row[6] === null) return Number(row[7]) === 0 ? null : 'merchant_blocked'
    return row[6] === row[5] ? null : 'merchant_blocked'
  },
}
