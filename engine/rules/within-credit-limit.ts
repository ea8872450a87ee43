// A credit (the authorization of a refund or of a payout to the card) may bring no more than the
// program allows beyond the capture that it names. Chosen: used + reserved + requested <= limit
// approves, equality included.
import { AMOUNT_MAX } from '../../shared/money.ts'
import { RULE_CATALOG } from '../../shared/rule-catalog.ts'
import { type CreditView, type Judged, type Rule, recordRow, type Trace } from './rule.ts'

const { number: NUMBER, version: VERSION } = RULE_CATALOG.within_credit_limit

export const withinCreditLimit: Rule = {
  id: 'within_credit_limit',
  judge(judged, trace) {
    const { credit, program } = judged
    if (credit === null) return null
    const { per_authorization_cents: perAuthorization, per_card_per_day_cents: perDay } =
      program.credit_limit
    const alone = Object.assign({}, credit, { usedCents: 0, reservedCents: 0 })
    return (
      within('per_authorization', perAuthorization, alone, trace) ??
      within('daily', perDay, credit, trace)
    )
  },
  decide(row) {
    const [limit, used, reserved, requested, fromOriginal] = row.slice(4) as number[] as [
      number,
      number,
      number,
      number,
      number,
    ]
    const beyond = requested - fromOriginal
    // Chosen: a refund within the captured amount passes, whatever was credited before.
    if (beyond <= 0) return null
    return used + reserved + beyond <= limit ? null : 'credit_limit'
  },
}

/**
 * The most that the program's limits let a credit bring now, in minor units of the card's currency.
 */
export function maxCredit({ credit, program }: Judged): number {
  if (credit === null) return 0
  const limit = program.credit_limit
  const atOnce = limit.per_authorization_cents ?? AMOUNT_MAX
  const day = limit.per_card_per_day_cents ?? AMOUNT_MAX
  return Math.max(0, Math.min(atOnce, day - credit.usedCents - credit.reservedCents))
}

function within(
  interval: 'per_authorization' | 'daily',
  limit: number | null,
  { cents, fromOriginalCents, usedCents, reservedCents }: CreditView,
  trace: Trace,
): ReturnType<Rule['judge']> {
  if (limit === null) return null
  return recordRow(
    withinCreditLimit,
    [NUMBER, VERSION, 0, interval, limit, usedCents, reservedCents, cents, fromOriginalCents],
    trace,
  )
}
