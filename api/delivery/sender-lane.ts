// One sender thread and its place among them: hands deliveries over, takes outcomes back, and has another thread take the place
// of one that died or does not answer any more.
//
// Nothing is lost and nothing is sent too often: what a dead thread had in hand may have been sent, so that it comes back as an
// `interrupted` attempt, which was counted when it was claimed and never disables an endpoint. What was not handed over yet is
// for the next thread.
import { Worker } from 'node:worker_threads'
import { type Clock, type EpochMs, sleep } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import { type AttemptOutcome, notSent, type Posting } from './delivery.ts'
import { type Numbered, pack } from './parcel.ts'
import type { ThreadMessage, ThreadSettings } from './sender-thread.ts'

/** A thread that died before it ran would die again at once. */
const START_AGAIN_MS = 500

export interface LaneOptions {
  settings: ThreadSettings
  clock: Clock
  log: Logger
}

interface Handed extends Numbered {
  atMs: EpochMs
  atNs: number
  resolve(outcome: AttemptOutcome): void
}

export class SenderLane {
  readonly #options: LaneOptions
  readonly #waiting: Handed[] = []
  /** Handed over and not back yet, the oldest first. */
  readonly #inHand = new Map<number, Handed>()
  readonly #closing = new AbortController()
  readonly #started: Promise<void>
  #number = 0
  #runs = false
  #leaving = false
  #worker: Worker

  constructor(options: LaneOptions) {
    this.#options = options
    this.#worker = this.#start()
    this.#started = new Promise((resolve, reject) => {
      this.#worker.once('message', () => resolve())
      this.#worker.once('error', reject)
      this.#worker.once('exit', () => reject(new Error('a sender thread does not start')))
    })
    // Who does not ask hears of it by the log.
    this.#started.catch(() => {})
  }

  /** Resolves when the first thread runs; rejects when it never will. */
  get started(): Promise<void> {
    return this.#started
  }

  /** False while a thread is being replaced. */
  get runs(): boolean {
    return this.#runs
  }

  /** Deliveries whose outcome is not known yet. */
  get load(): number {
    return this.#waiting.length + this.#inHand.size
  }

  get threadId(): number {
    return this.#worker.threadId
  }

  /** Resolves with the outcome, whatever becomes of the thread. */
  send(posting: Posting): Promise<AttemptOutcome> {
    const { clock } = this.#options
    if (this.#closing.signal.aborted) return Promise.resolve(notSent('interrupted', clock.nowMs()))
    return new Promise((resolve) => {
      const [atMs, atNs] = [clock.nowMs(), clock.monotonicNs()]
      this.#waiting.push({ number: ++this.#number, posting, atMs, atNs, resolve })
      this.#leave()
    })
  }

  /** Gives up what was taken more than `patienceMs` ago, and the thread that has it: it answers no more. */
  giveUpOverdue(patienceMs: number): void {
    const overdueNs = this.#options.clock.monotonicNs() - patienceMs * 1e6
    const [oldest] = this.#inHand.values()
    if (oldest !== undefined && oldest.atNs <= overdueNs) void this.endThread()
    while ((this.#waiting[0]?.atNs ?? Number.POSITIVE_INFINITY) <= overdueNs)
      this.#interrupt(this.#waiting.shift())
  }

  /** Another thread takes the place unless the lane was closed. */
  async endThread(): Promise<void> {
    await this.#worker.terminate()
  }

  /** Ends the thread for good; what it had in hand is interrupted. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.endThread()
    for (const handed of this.#waiting.splice(0)) this.#interrupt(handed)
  }

  #start(): Worker {
    const { settings, log } = this.#options
    const worker = new Worker(new URL('./sender-thread.ts', import.meta.url), {
      workerData: settings,
      env: {},
      // What the process was told to load before itself is not for its threads.
      execArgv: [],
      name: 'sender',
    })
    worker.on('message', (message: ThreadMessage) => {
      if (message === 'ready') this.#ready()
      else for (const { number, outcome } of message) this.#land(number, outcome)
    })
    worker.on('error', (error) => log.error({ err: error }, 'a sender thread failed'))
    worker.once('exit', () => void this.#replace())
    return worker
  }

  #ready(): void {
    this.#runs = true
    this.#leave()
  }

  // What is handed over in one turn of the loop leaves in one message.
  #leave(): void {
    if (this.#leaving || !this.#runs) return
    this.#leaving = true
    setImmediate(() => {
      this.#leaving = false
      if (!this.#runs || this.#waiting.length === 0) return
      const handed = this.#waiting.splice(0)
      const parcel = pack(handed)
      for (const one of handed) this.#inHand.set(one.number, one)
      this.#worker.postMessage(parcel, [parcel.bodies])
    })
  }

  #land(number: number, outcome: AttemptOutcome): void {
    this.#inHand.get(number)?.resolve(outcome)
    this.#inHand.delete(number)
  }

  async #replace(): Promise<void> {
    const { log } = this.#options
    const closed = this.#closing.signal
    if (!closed.aborted) log.error({ count: this.#inHand.size }, 'a sender thread ended')
    for (const handed of this.#inHand.values()) this.#interrupt(handed)
    this.#inHand.clear()
    if (!this.#runs) await sleep(START_AGAIN_MS, closed)
    this.#runs = false
    if (!closed.aborted) this.#worker = this.#start()
  }

  #interrupt(handed: Handed | undefined): void {
    if (handed === undefined) return
    const tookMs = Math.round((this.#options.clock.monotonicNs() - handed.atNs) / 1e6)
    handed.resolve(notSent('interrupted', handed.atMs, tookMs))
  }
}
