// Keeps the score of a load: latencies, outcomes, and every answer that was not right.
import type { Exchange } from './connection-pool.ts'
import type { IsoAnswer } from './iso-link.ts'
import { openLatency, type Percentiles } from './latency.ts'
import { judgeLoadAnswer, type SentMessage } from './load-check.ts'
import { type OutcomeRow, openTally } from './outcome.ts'

const EXAMPLES_MAX = 20

export interface Score {
  readonly answered: number
  /** Takes the answer to a message, `latencyUs` after its intended send time. */
  add(sent: SentMessage, exchange: Exchange | IsoAnswer, latencyUs: number): void
  /** How late the simulator itself was with a message. */
  addLateness(latenessUs: number): void
  /** A message that never got an answer. */
  addUnanswered(count: number): void
  result(): ScoreResult
}

export interface ScoreResult {
  answered: number
  latency: {
    all: Percentiles
    /** By whether the card's tenant is asked. */
    without_tenant: Percentiles
    with_tenant: Percentiles
    /** How late the simulator handed messages over: contained in every number above. */
    lateness: Percentiles
  }
  outcomes: OutcomeRow[]
  mismatches: { count: number; examples: string[] }
}

/** Keeps score of `count` messages. */
export function openScore(count: number): Score {
  const all = openLatency()
  const withoutTenant = openLatency()
  const withTenant = openLatency()
  const lateness = openLatency()
  const tally = openTally()
  const examples: string[] = []
  // One cell per message: 1 once it was answered.
  const answeredOnce = new Uint8Array(count)
  let answered = 0
  let mismatches = 0
  const mismatch = (sentence: string): void => {
    mismatches++
    if (examples.length < EXAMPLES_MAX) examples.push(sentence)
  }
  return {
    get answered() {
      return answered
    },
    add(sent, exchange, latencyUs) {
      const judged = judgeLoadAnswer(sent, exchange)
      const repeated = answeredOnce[sent.index] === 1
      answeredOnce[sent.index] = 1
      answered++
      all.record(latencyUs)
      if (sent.realtime) withTenant.record(latencyUs)
      else withoutTenant.record(latencyUs)
      const problem = repeated ? 'answered more than once' : judged.problem
      tally.add({ outcome: judged.outcome, unexpected: problem !== null, latencyUs })
      if (problem !== null) mismatch(sent.id + ': ' + problem)
    },
    addLateness: (latenessUs) => lateness.record(latenessUs),
    addUnanswered(count) {
      if (count > 0) mismatch(count + ' messages were never answered')
    },
    result: () => ({
      answered,
      latency: {
        all: all.percentiles(),
        without_tenant: withoutTenant.percentiles(),
        with_tenant: withTenant.percentiles(),
        lateness: lateness.percentiles(),
      },
      outcomes: tally.rows(),
      mismatches: { count: mismatches, examples },
    }),
  }
}
