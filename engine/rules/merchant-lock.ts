// A locked control belongs to the merchant of the first authorization approved under it. Chosen: while that first one waits for
// its tenant nobody knows whose the control will be, so nothing else passes.
import { controlRule } from './control-rule.ts'
import { traceRow } from './rule.ts'

export const merchantLock = controlRule({
  id: 'merchant_lock',
  concerns: (control) => control.merchant_lock,
  rowOf: ({ message }, { scope, control, usesWaiting, lockedMerchant }) =>
    traceRow('merchant_lock', scope, control.id, message.merchantId, lockedMerchant, usesWaiting),
  decide(row) {
    if (row[6] === null) return Number(row[7]) === 0 ? null : 'merchant_blocked'
    return row[6] === row[5] ? null : 'merchant_blocked'
  },
})
