// Counts the outcomes of messages: one line per kind of answer, with its count and its latency. The
// load, the burst and the table they print share it.
import type { NetworkAnswer } from '../../shared/schemas/network-message.ts'
import { type Latency, openLatency, type Percentiles } from './latency.ts'

export interface OutcomeRow {
  /** For people: `approved`, `declined: limit_daily`, `tenant silent → stand-in approved`. */
  outcome: string
  /** True if this outcome was not expected. */
  unexpected: boolean
  latency: Percentiles
}

/** How an answer reads in a table. */
export function outcomeOf(answer: NetworkAnswer): string {
  const reason = answer.decline_reason ?? 'no reason'
  if (answer.stand_in)
    return 'tenant silent → stand-in ' + (answer.approved ? 'approved' : 'declined')
  if (answer.decided_by === 'tenant')
    return answer.approved ? 'approved, tenant said yes' : 'tenant said no: ' + reason
  return answer.approved ? 'approved' : 'declined: ' + reason
}

const OUTCOMES_MAX = 200
const OTHER = 'other outcomes'

export interface Tally {
  add(observation: { outcome: string; unexpected: boolean; latencyUs: number }): void
  /** Approvals first, then declines, then unexpected outcomes; by count within each. */
  rows(): OutcomeRow[]
}

export function openTally(): Tally {
  const lines = new Map<string, { unexpected: boolean; latency: Latency }>()
  return {
    add({ outcome, unexpected, latencyUs }) {
      const key = lines.has(outcome) || lines.size < OUTCOMES_MAX ? outcome : OTHER
      const line = lines.get(key) ?? { unexpected: false, latency: openLatency() }
      line.unexpected ||= unexpected
      line.latency.record(latencyUs)
      lines.set(key, line)
    },
    rows() {
      return [...lines]
        .map(([outcome, { unexpected, latency }]) => ({
          outcome,
          unexpected,
          latency: latency.percentiles(),
        }))
        .sort((one, other) => rank(one) - rank(other) || other.latency.count - one.latency.count)
    },
  }
}

const RANKS = ['approved', 'declined', 'tenant said no', 'tenant silent'] as const

function rank(row: OutcomeRow): number {
  if (row.unexpected) return RANKS.length + 1
  const place = RANKS.findIndex((start) => row.outcome.startsWith(start))
  return place < 0 ? RANKS.length : place
}
