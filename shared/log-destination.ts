// Where the log lines of a process go: a bounded queue, and a thread that writes them. No call here
// waits for the descriptor, and no error of it reaches the process: lines that cannot be written
// are dropped and counted.
import { Worker } from 'node:worker_threads'
import { systemClock } from './clock.ts'
import { LOG_COUNTS, type LogWriterOptions } from './log-counts.ts'
import { THREAD_OPTIONS } from './thread-preload.ts'

/** Chosen: characters that may wait while the writer is busy; as many may be with the writer. */
const WAITING_MAX = 4 * 1024 * 1024
/** Characters that do not wait for more of them. */
const TOGETHER = 4096
/** Chosen: an exit waits this long for its last lines. */
const FLUSH_MS_MAX = 1000
/**
 * Chosen: an exit waits this long for a writer that begins: the last line of a process may be its
 * first.
 */
const BEGIN_MS_MAX = 4000
/** A writer that ended is begun again after this. */
const RESTART_MS = 1000
/** The writer holds two chunks at most; V8's least heap serves it. */
const WRITER_LIMITS = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 32 }

export interface LogDestinationOptions {
  /** Descriptor that is written to, for example 1 for standard output. */
  fd: number
  /** Name of the process in the line that counts dropped lines. */
  name: string
  /**
   * Milliseconds that a line may wait for others; 0: until the end of this turn of the event loop.
   */
  lingerMs?: number
  /**
   * Called with each new error of the descriptor, as Node numbers it (-32: the reader of a pipe is
   * gone).
   */
  onError?(errno: number): void
}

const destinations: LogDestination[] = []

/** Log lines of this process that were dropped since its start. */
export function logLinesDropped(): number {
  return destinations.reduce((sum, destination) => sum + destination.dropped, 0)
}

/** A destination for pino. Nothing is opened before the first line. */
export class LogDestination {
  readonly #options: LogDestinationOptions
  readonly #shared = new SharedArrayBuffer(
    Object.keys(LOG_COUNTS).length * Int32Array.BYTES_PER_ELEMENT,
  )
  readonly #counts = new Int32Array(this.#shared)
  #waiting: string[] = []
  #waitingLength = 0
  #scheduled = false
  #posted = 0
  #writer: Worker | null = null
  #begun = false
  #errno = 0

  constructor(options: LogDestinationOptions) {
    this.#options = options
  }

  /** Lines that were dropped since the start. */
  get dropped(): number {
    return (
      Atomics.load(this.#counts, LOG_COUNTS.refused) + Atomics.load(this.#counts, LOG_COUNTS.failed)
    )
  }

  /**
   * Takes one or more whole lines, or drops them where too much waits already. Never blocks, never
   * throws.
   */
  write(lines: string): void {
    if (!this.#begun) this.#begin()
    if (this.#waitingLength + lines.length > WAITING_MAX) {
      Atomics.add(this.#counts, LOG_COUNTS.refused, lines.split('\n').length - 1)
      return
    }
    this.#waiting.push(lines)
    this.#waitingLength += lines.length
    this.#schedule()
  }

  /**
   * Waits until everything that was taken is written or dropped, for a second at most once the
   * writer has begun.
   */
  flushSync(): void {
    if (this.#waitingLength > 0) this.#post()
    if (this.#posted === 0) return
    Atomics.wait(this.#counts, LOG_COUNTS.ready, 0, BEGIN_MS_MAX)
    const untilNs = systemClock.monotonicNs() + FLUSH_MS_MAX * 1e6
    for (;;) {
      const done = Atomics.load(this.#counts, LOG_COUNTS.done)
      const leftMs = (untilNs - systemClock.monotonicNs()) / 1e6
      if (done >= this.#posted || leftMs <= 0) return
      Atomics.wait(this.#counts, LOG_COUNTS.done, done, leftMs)
    }
  }

  /** One chunk at a time is with the writer; its acknowledgement posts the next. */
  get #idle(): boolean {
    return this.#writer !== null && Atomics.load(this.#counts, LOG_COUNTS.done) >= this.#posted
  }

  #schedule(): void {
    if (!this.#idle) return
    if (this.#waitingLength >= TOGETHER) return this.#post()
    if (this.#scheduled) return
    this.#scheduled = true
    const due = (): void => {
      this.#scheduled = false
      if (this.#idle && this.#waitingLength > 0) this.#post()
    }
    const { lingerMs = 0 } = this.#options
    if (lingerMs > 0) systemClock.after(lingerMs, due)
    else setImmediate(due)
  }

  #post(): void {
    const text = this.#waiting.join('')
    this.#waiting = []
    this.#waitingLength = 0
    this.#posted += 1
    if (this.#writer !== null) return this.#writer.postMessage(text)
    Atomics.add(this.#counts, LOG_COUNTS.failed, text.split('\n').length - 1)
    Atomics.store(this.#counts, LOG_COUNTS.done, this.#posted)
  }

  #begin(): void {
    this.#begun = true
    destinations.push(this)
    process.on('exit', () => this.#end())
    this.#beginWriter()
  }

  #beginWriter(): void {
    const { fd, name } = this.#options
    const workerData: LogWriterOptions = { fd, name, counts: this.#shared }
    const script = new URL('./log-writer.ts', import.meta.url)
    try {
      const writer = new Worker(script, {
        workerData,
        execArgv: [...THREAD_OPTIONS],
        resourceLimits: WRITER_LIMITS,
      })
      writer.on('message', () => this.#written())
      writer.on('error', () => undefined)
      writer.on('exit', () => this.#writerEnded())
      // After its listeners: each of them holds the process.
      writer.unref()
      this.#writer = writer
    } catch {
      this.#writerEnded()
    }
  }

  #written(): void {
    const errno = Atomics.load(this.#counts, LOG_COUNTS.errno)
    if (errno !== this.#errno) this.#options.onError?.(errno)
    this.#errno = errno
    if (this.#waitingLength > 0) this.#schedule()
  }

  /** Lines that the writer had taken and not written are lost. */
  #writerEnded(): void {
    this.#writer = null
    const lost = this.#posted - Atomics.load(this.#counts, LOG_COUNTS.done)
    Atomics.add(this.#counts, LOG_COUNTS.failed, lost)
    Atomics.store(this.#counts, LOG_COUNTS.done, this.#posted)
    systemClock.after(RESTART_MS, () => {
      this.#beginWriter()
      this.#written()
    })
  }

  /**
   * An exit waits for every thread: one that hangs in a system call would hold it up for as long as
   * that hangs.
   */
  #end(): void {
    this.flushSync()
    if (Atomics.load(this.#counts, LOG_COUNTS.writing) === 1) process.kill(process.pid, 'SIGKILL')
  }
}
