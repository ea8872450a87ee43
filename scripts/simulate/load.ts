// Open-loop load: a fixed stream of purchases that no answer can slow down. Latency is counted from
// the moment a message was meant to leave, so a stall of the service (or of the simulator) is
// charged to every message it delayed.
import type { Clock } from '../../shared/clock.ts'
import type { Target } from './connection-pool.ts'
import type { IsoAddress } from './iso-link.ts'
import { httpListener, isoListener, type LoadPort } from './load-port.ts'
import { openScore, type Score, type ScoreResult } from './load-score.ts'
import type { NetworkCredentials } from './message.ts'
import { type MessageStream, openMessageStream } from './message-stream.ts'
import type { SecretCard } from './sandbox.ts'
import { evenSchedule, type Schedule } from './schedule.ts'
import { startTicker } from './ticker.ts'

const BEAT_MS = 0.25
/**
 * Messages prepared per beat beyond those that left in it: catches up without delaying a sending
 * for long.
 */
const PREPARED_PER_BEAT = 4
/** How long the last answers are awaited; a silent tenant takes 1.5 s. */
const LAST_ANSWER_NS = 5e9
const PROGRESS_NS = 100e6
const NS_PER_S = 1e9
const NS_PER_US = 1000

export interface LoadOptions {
  ratePerS: number
  seconds: number
  connections: number
  /** Share of messages for cards whose tenant is asked, 0 to 1. */
  realtimeShare: number
}

export interface LoadInput {
  target: Target
  credentials: NetworkCredentials
  /** Where the load goes through ISO 8583 links; the rest of its way is the same. */
  iso?: IsoAddress
  /** Cards whose tenant is not asked, and cards whose tenant is. */
  plainCards: readonly SecretCard[]
  realtimeCards: readonly SecretCard[]
  options: LoadOptions
  clock: Clock
  /** Called about ten times a second. */
  onProgress(progress: LoadProgress): void
  /** Ends the stream early; the report still covers the messages that were sent. */
  signal: AbortSignal
}

export interface LoadProgress {
  sent: number
  answered: number
  count: number
}

export interface LoadReport extends ScoreResult {
  rate_per_s: number
  seconds: number
  connections: number
  realtime_share: number
  sent: number
  unanswered: number
  /** Messages sent per second, over the time the sending took. */
  achieved_per_s: number
}

/** Runs the load to its end. Mistakes of the service are in the report, never thrown. */
export async function runLoad(input: LoadInput): Promise<LoadReport> {
  const { options } = input
  const schedule = evenSchedule(options)
  const score = openScore(schedule.count)
  const port =
    input.iso === undefined
      ? httpListener(input.target, input.credentials, options.connections)
      : isoListener(input.iso, options.connections)
  const stream = openMessageStream({
    ...input,
    encode: port.encode,
    realtimeShare: options.realtimeShare,
    ratePerS: options.ratePerS,
    count: schedule.count,
  })
  stream.prepare(schedule.count)
  await port.warm()
  const { sent, tookNs } = await pump({ input, schedule, score, stream, port })
  const unanswered = sent - score.answered
  score.addUnanswered(unanswered)
  const result = score.result()
  port.close()
  return {
    rate_per_s: options.ratePerS,
    seconds: options.seconds,
    connections: options.connections,
    realtime_share: options.realtimeShare,
    sent,
    unanswered,
    achieved_per_s: Math.round(sent / (tookNs / NS_PER_S + 1 / options.ratePerS)),
    ...result,
  }
}

interface Pump {
  input: LoadInput
  schedule: Schedule
  score: Score
  stream: MessageStream
  port: LoadPort
}

/**
 * Sends the due messages at every beat until all are answered, or until the last answers are
 * overdue.
 */
function pump({ input, schedule, score, stream, port }: Pump): Promise<{
  sent: number
  tookNs: number
}> {
  const { clock, signal } = input
  let startNs: number | null = null
  let lastSentNs = 0
  let shownNs = 0
  let sent = 0

  const sendNext = (intendedNs: number): void => {
    const message = stream.next()
    lastSentNs = clock.monotonicNs()
    score.addLateness((lastSentNs - intendedNs) / NS_PER_US)
    port.send(message, (exchange) => {
      score.add(message.sent, exchange, (clock.monotonicNs() - intendedNs) / NS_PER_US)
    })
  }

  return new Promise((resolve) => {
    const ticker = startTicker(BEAT_MS, () => {
      const nowNs = clock.monotonicNs()
      // The first beat is the start: the thread behind the ticker takes its time to come up.
      startNs ??= nowNs
      const due = signal.aborted ? sent : schedule.dueBy(nowNs - startNs)
      const leaving = due - sent
      while (sent < due) sendNext(startNs + schedule.intendedNs(sent++))
      stream.prepare(leaving + PREPARED_PER_BEAT)
      if (nowNs - shownNs > PROGRESS_NS) {
        shownNs = nowNs
        input.onProgress({ sent, answered: score.answered, count: schedule.count })
      }
      const sending = sent < schedule.count && !signal.aborted
      const overdue = nowNs - lastSentNs > LAST_ANSWER_NS
      if (sending || (score.answered < sent && !overdue)) return
      const tookNs = lastSentNs - startNs
      void ticker.stop().then(() => resolve({ sent, tookNs }))
    })
  })
}
