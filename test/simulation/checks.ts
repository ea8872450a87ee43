// What must hold at the end of a simulated world, and the bugs planted to show that it is noticed when it does not.
import { type DecisionState, emptyState } from '../../engine/state/decision-state.ts'
import type { DecisionEntry } from '../../shared/wire/journal-entry.ts'
import { CARD_DAILY, CARDHOLDER_DAILY, CARDHOLDER_ZONE } from './simulated-facts.ts'

/** Bugs planted to prove that the checker sees: green seeds count only beside them. */
export const MUTANTS = [
  'answer_before_durable',
  'windows_not_rebuilt',
  'duplicate_decided_again',
  'nothing_reserved',
  'reservation_never_ended',
  'reservation_ended_twice',
] as const
export type Mutant = (typeof MUTANTS)[number]

/** The state as a line with the bug would have it. */
export function mutateState(state: DecisionState, mutant: Mutant | null): DecisionState {
  const { meters } = state
  const unreserve = meters.unreserve.bind(meters)
  switch (mutant) {
    case 'windows_not_rebuilt':
      return { ...emptyState(), recall: state.recall, seq: state.seq, latestMs: state.latestMs }
    case 'duplicate_decided_again':
      return { ...state, recall: emptyState().recall }
    case 'nothing_reserved':
      meters.reserve = () => {}
      meters.unreserve = () => {}
      return state
    case 'reservation_never_ended':
      meters.unreserve = () => {}
      return state
    case 'reservation_ended_twice':
      meters.unreserve = (meter, day, amount, count) => {
        unreserve(meter, day, amount, count)
        if (meters.reserved(meter, ALL_TIME, day) >= amount) unreserve(meter, day, amount, count)
      }
      return state
    default:
      return state
  }
}

const ALL_TIME = 4

/** A reservation that stands although nobody is asked any more, or null. */
export function brokenState(state: DecisionState): string | null {
  for (const [subject, zone, currency, day] of state.meters.rows()) {
    const meter = state.meters.find(subject, zone, currency)
    for (let interval = 0; interval <= ALL_TIME; interval++) {
      const left = state.meters.reserved(meter, interval, day)
      if (left !== 0) return left + ' are still reserved for ' + subject
    }
  }
  return null
}

/** Days on which approvals add up to more than a limit of the card or its cardholder. */
export function overspent(decisions: readonly DecisionEntry[]): string[] {
  const spent = new Map<string, number>()
  for (const { decision } of decisions) {
    for (const [subject, zone, , day] of decision.meters) {
      const key = [subject, zone, day].join(' ')
      spent.set(key, (spent.get(key) ?? 0) + decision.approvedAmountCents)
    }
  }
  return [...spent]
    .filter(([key, sum]) => sum > limitOf(key))
    .map(([key, sum]) => key + ' spent ' + sum)
}

function limitOf(key: string): number {
  if (key.startsWith('card_') && key.includes(' UTC ')) return CARD_DAILY
  if (key.startsWith('ch_') && key.includes(CARDHOLDER_ZONE)) return CARDHOLDER_DAILY
  return Number.POSITIVE_INFINITY
}
