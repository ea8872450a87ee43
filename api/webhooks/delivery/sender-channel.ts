// A sender thread and its place in the pool: hands deliveries over, takes outcomes back, and
// replaces a thread that died or no longer answers.
//
// No delivery is lost and none is sent too often: a dead thread may have sent the deliveries in its
// hands, so they come back as `interrupted` attempts, which were counted when they were claimed and
// never disable an endpoint. The next thread gets the deliveries not handed over yet.
import { Worker } from 'node:worker_threads'
import { type Clock, type EpochMs, sleep } from '../../../shared/clock.ts'
import type { Logger } from '../../../shared/log.ts'
import { THREAD_OPTIONS } from '../../../shared/thread-preload.ts'
import { type AttemptOutcome, notSent, type Posting } from './delivery.ts'
import type { ThreadMessage, ThreadSettings } from './sender-thread.ts'
import { type Numbered, pack } from './worker-batch.ts'

/** A thread that died before it ran would die again at once. */
const START_AGAIN_MS = 500

export interface ChannelOptions {
  settings: ThreadSettings
  clock: Clock
  log: Logger
}

interface Handed extends Numbered {
  atMs: EpochMs
  atNs: number
  resolve(outcome: AttemptOutcome): void
}

export class SenderChannel {
  readonly #options: ChannelOptions
  readonly #waiting: Handed[] = []
  /** Deliveries handed over without an outcome yet, oldest first. */
  readonly #inHand = new Map<number, Handed>()
  readonly #closing = new AbortController()
  readonly #started: Promise<void>
  #number = 0
  #runs = false
  #leaving = false
  #worker: Worker

  constructor(options: ChannelOptions) {
    this.#options = options
    this.#worker = this.#start()
    this.#started = new Promise((resolve, reject) => {
      this.#worker.once('message', () => resolve())
      this.#worker.once('error', reject)
      this.#worker.once('exit', () => reject(new Error('a sender thread does not start')))
    })
    // A caller that does not await the start learns of the failure from the log.
    this.#started.catch(() => {})
  }

  /** Resolves when the first thread runs; rejects when the thread cannot start. */
  get started(): Promise<void> {
    return this.#started
  }

  /** False while a thread is being replaced. */
  get runs(): boolean {
    return this.#runs
  }

  /** Deliveries without an outcome yet. */
  get load(): number {
    return this.#waiting.length + this.#inHand.size
  }

  get threadId(): number {
    return this.#worker.threadId
  }

  /** Resolves with the outcome, even if the thread dies. */
  send(posting: Posting): Promise<AttemptOutcome> {
    const { clock } = this.#options
    if (this.#closing.signal.aborted) return Promise.resolve(notSent('interrupted', clock.nowMs()))
    return new Promise((resolve) => {
      const [atMs, atNs] = [clock.nowMs(), clock.monotonicNs()]
      this.#waiting.push({ number: ++this.#number, posting, atMs, atNs, resolve })
      this.#leave()
    })
  }

  /**
   * Gives up deliveries taken more than `patienceMs` ago, and their thread: it no longer answers.
   */
  giveUpOverdue(patienceMs: number): void {
    const overdueNs = this.#options.clock.monotonicNs() - patienceMs * 1e6
    const [oldest] = this.#inHand.values()
    if (oldest !== undefined && oldest.atNs <= overdueNs) void this.endThread()
    while ((this.#waiting[0]?.atNs ?? Number.POSITIVE_INFINITY) <= overdueNs)
      this.#interrupt(this.#waiting.shift())
  }

  /** Ends the thread; another one replaces it unless the lane was closed. */
  async endThread(): Promise<void> {
    await this.#worker.terminate()
  }

  /** Ends the thread for good; its deliveries are interrupted. */
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
      execArgv: [...THREAD_OPTIONS],
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

  // Deliveries handed over in one turn of the event loop leave in one message.
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
