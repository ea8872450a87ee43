// A payment may spend no more than its account was funded with, over the account's whole life.
// Chosen: used + reserved + requested <= funded approves, equality included.
import { RULE_CATALOG } from '../../shared/rule-catalog.ts'
import { type Rule, recordRow } from './rule.ts'

const { number: NUMBER, version: VERSION } = RULE_CATALOG.funds_available

export const fundsAvailable: Rule = {
  id: 'funds_available',
  judge({ funds, cardAmountCents }, trace) {
    if (funds === null) return null
    const { fundedCents, usedCents, reservedCents } = funds
    return recordRow(
      fundsAvailable,
      [NUMBER, VERSION, 0, fundedCents, usedCents, reservedCents, cardAmountCents],
      trace,
    )
  },
  decide(row) {
    const [funded, used, reserved, requested] = row.slice(3) as [number, number, number, number]
    return used + reserved + requested <= funded ? null : 'insufficient_funds'
  },
}
