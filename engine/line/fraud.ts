// Fraud rules: card-testing bursts, repeated CVC or PIN failures. A rule that fires stops the card from the next message on;
// a draft only says that it would have. Part of conclude: pure but for the state it reads.
import type { FraudRule, FraudRuleName } from '../../shared/wire/facts.ts'
import type { FraudMark } from '../../shared/wire/journal-entry.ts'
import type { Judged } from '../rules/rule.ts'
import type { Tries } from '../state/tries.ts'

/** What this message counts for, by rule. Empty for almost every message. */
export function fraudMarks(judged: Judged): readonly FraudMark[] {
  const rules = judged.program.fraud_rules
  if (rules.length === 0) return NO_MARKS
  let marks: FraudMark[] | null = null
  for (const rule of rules) {
    if (rule.state === 'off' || !counts(rule, judged)) continue
    marks ??= []
    marks.push({ rule: rule.name, keep: rule.count })
  }
  return marks ?? NO_MARKS
}

const NO_MARKS: readonly FraudMark[] = []

function counts(rule: FraudRule, judged: Judged): boolean {
  switch (rule.name) {
    case 'card_testing':
      return (
        judged.message.kind === 'authorization' &&
        !CARD_PRESENT.has(judged.message.entryMethod) &&
        judged.cardAmountCents <= (rule.amount_cents ?? 0)
      )
    case 'cvc_failures':
      return judged.cvc === 'mismatch'
    case 'pin_failures':
      return judged.pin === 'mismatch'
  }
}

const CARD_PRESENT: ReadonlySet<string> = new Set(['chip', 'contactless', 'swipe'])

export interface FiredRule {
  rule: FraudRuleName
  /** False for a draft. */
  active: boolean
}

/** The rules that this message, already applied to the state, has brought to their count. */
export function firedRules(
  tries: Tries,
  judged: Judged,
  marks: readonly FraudMark[],
  nowMs: number,
): readonly FiredRule[] {
  if (marks.length === 0) return NONE_FIRED
  const fired: FiredRule[] = []
  for (const rule of judged.program.fraud_rules) {
    if (!marks.some((mark) => mark.rule === rule.name)) continue
    const since = nowMs - rule.seconds * 1000
    if (tries.marksSince(judged.card.id, rule.name, since) >= rule.count)
      fired.push({ rule: rule.name, active: rule.state === 'active' })
  }
  return fired
}

const NONE_FIRED: readonly FiredRule[] = []
