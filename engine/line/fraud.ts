// Fraud rules: card-testing bursts, repeated CVC or PIN failures. A rule that fires stops the card
// from the next message on; a draft only reports that it would have. Part of conclude: pure except
// for the state it reads.
import { cardPresence } from '../../shared/card-presence.ts'
import type { MessageKind } from '../../shared/schemas/network-message.ts'
import type { FraudRule, FraudRuleName } from '../../shared/wire/config-records.ts'
import type { FraudMark } from '../../shared/wire/journal-entry.ts'
import type { Judged } from '../rules/rule.ts'
import type { FraudCounters } from '../state/fraud-counters.ts'

/** Returns the counts of this message by rule. Empty for almost every message, and for payments. */
export function fraudMarks(judged: Judged): readonly FraudMark[] {
  const rules = judged.program.fraud_rules
  if (rules.length === 0 || judged.card.card_type === 'account') return NO_MARKS
  let marks: FraudMark[] | null = null
  for (const rule of rules) {
    if (rule.state === 'off' || !counts(rule, judged)) continue
    marks ??= []
    marks.push({ rule: rule.name, keep: rule.count })
  }
  return marks ?? NO_MARKS
}

const NO_MARKS: readonly FraudMark[] = []

/** Chosen: a verification tests whether a card works, as a small authorization does. */
const TESTS_A_CARD: ReadonlySet<MessageKind> = new Set(['authorization', 'account_verification'])

function counts(rule: FraudRule, judged: Judged): boolean {
  switch (rule.name) {
    case 'card_testing':
      return (
        TESTS_A_CARD.has(judged.message.kind) &&
        cardPresence(judged.message.entryMethod) === 'not_present' &&
        judged.cardAmountCents <= (rule.amount_cents ?? 0)
      )
    case 'cvc_failures':
      return judged.cvc === 'mismatch'
    case 'pin_failures':
      return judged.pin === 'mismatch'
  }
}

/**
 * Returns the active rule that this message brought to its count, or null. The message's marks are
 * already applied to the state.
 */
export function firedRule(
  tries: FraudCounters,
  judged: Judged,
  marks: readonly FraudMark[],
  nowMs: number,
): FraudRuleName | null {
  for (const rule of judged.program.fraud_rules) {
    if (rule.state !== 'active' || !marked(marks, rule.name)) continue
    if (marksOf(tries, judged, rule, nowMs) >= rule.count) return rule.name
  }
  return null
}

/**
 * Returns the draft rules that this message brings to their count. Its marks are not applied yet.
 */
export function draftsFired(
  tries: FraudCounters,
  judged: Judged,
  marks: readonly FraudMark[],
  nowMs: number,
): readonly FraudRuleName[] {
  if (marks.length === 0) return NO_RULES
  let fired: FraudRuleName[] | null = null
  for (const rule of judged.program.fraud_rules) {
    if (rule.state !== 'draft' || !marked(marks, rule.name)) continue
    if (marksOf(tries, judged, rule, nowMs) + 1 < rule.count) continue
    fired ??= []
    fired.push(rule.name)
  }
  return fired ?? NO_RULES
}

const NO_RULES: readonly FraudRuleName[] = []

function marked(marks: readonly FraudMark[], name: FraudRuleName): boolean {
  return marks.some((mark) => mark.rule === name)
}

function marksOf(tries: FraudCounters, judged: Judged, rule: FraudRule, nowMs: number): number {
  return tries.marksSince(judged.card.id, rule.name, nowMs - rule.seconds * 1000)
}
