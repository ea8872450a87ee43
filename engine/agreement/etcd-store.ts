// etcd as the agreement store of the engine: the four calls, handed to a thread of their own.
import { Worker } from 'node:worker_threads'
import { THREAD_OPTIONS } from '../../shared/thread-preload.ts'
import type { EtcdOptions } from './etcd-client.ts'
import { exact } from './etcd-messages.ts'
import type {
  AgreementStore,
  KeyValue,
  Ranged,
  Read,
  Transacted,
  Transaction,
  Unknown,
  Watch,
  WatchEvent,
  WatchHandlers,
  Write,
} from './store.ts'

type WatchRange = { prefix: string; fromRevision: number }

export type ThreadOrder = { id: number } & (
  | { call: 'transact'; transaction: Transaction }
  | { call: 'range'; reads: readonly Read[] }
  | { call: 'compact'; revision: number }
  | { call: 'watch'; range: WatchRange }
  | { call: 'cancel' }
  | { call: 'close' }
)

export type ThreadAnswer = { id: number } & (
  | { answer: 'transact'; outcome: Transacted | Unknown }
  | { answer: 'range'; outcome: Ranged | Unknown }
  | { answer: 'compact'; failure: string | null }
  | { answer: 'events'; events: WatchEvent[] }
  | { answer: 'cancelled'; reason: string }
  | { answer: 'closed' }
)

/** Other orders have ids from 1 on. */
const CLOSE_ID = 0

type Handlers = (answer: ThreadAnswer) => void

/** Starts the thread. `onFailed` is called if it ends by itself, which no caller survives. */
export function openEtcdStore(
  options: EtcdOptions & { onFailed(reason: string): void },
): AgreementStore {
  const { endpoints, tls } = options
  const worker = new Worker(new URL('./etcd-thread.ts', import.meta.url), {
    workerData: { endpoints, tls },
    execArgv: [...THREAD_OPTIONS],
  })
  return new EtcdStore(worker, options.onFailed)
}

class EtcdStore implements AgreementStore {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Handlers>()
  #id = 0
  #closing = false

  constructor(worker: Worker, onFailed: (reason: string) => void) {
    this.#worker = worker
    worker.on('message', (answer: ThreadAnswer) => this.#waiting.get(answer.id)?.(answer))
    worker.on('error', (error) => {
      if (!this.#closing) onFailed('the thread of the agreement store failed: ' + String(error))
    })
    worker.on('exit', () => {
      if (!this.#closing) onFailed('the thread of the agreement store ended')
    })
  }

  transact(transaction: Transaction, done: (outcome: Transacted | Unknown) => void): void {
    const { compares, writes, otherwise } = transaction
    const sent = { compares, writes: writes.map(detached), otherwise }
    this.#ask({ call: 'transact', transaction: sent }, (answer) => {
      if (answer.answer !== 'transact') return
      const { outcome } = answer
      done(outcome.outcome === 'unknown' ? outcome : { ...outcome, reads: revived(outcome.reads) })
    })
  }

  range(reads: readonly Read[], done: (outcome: Ranged | Unknown) => void): void {
    this.#ask({ call: 'range', reads }, (answer) => {
      if (answer.answer !== 'range') return
      const { outcome } = answer
      done(outcome.outcome === 'unknown' ? outcome : { ...outcome, reads: revived(outcome.reads) })
    })
  }

  compact(revision: number, done: (failure: string | null) => void): void {
    this.#ask({ call: 'compact', revision }, (answer) => {
      if (answer.answer === 'compact') done(answer.failure)
    })
  }

  watch(range: WatchRange, handlers: WatchHandlers): Watch {
    const id = ++this.#id
    this.#waiting.set(id, (answer) => {
      if (answer.answer === 'events')
        return handlers.onEvents(
          answer.events.map((event) => ({ ...event, value: view(event.value) })),
        )
      if (answer.answer !== 'cancelled') return
      this.#waiting.delete(id)
      handlers.onCancelled(answer.reason)
    })
    this.#post({ id, call: 'watch', range })
    return {
      cancel: () => {
        if (this.#waiting.delete(id)) this.#post({ id, call: 'cancel' })
      },
    }
  }

  async close(): Promise<void> {
    if (this.#closing) return
    this.#closing = true
    this.#waiting.clear()
    const closed = new Promise<void>((resolve) => {
      this.#waiting.set(CLOSE_ID, () => resolve())
      this.#worker.once('exit', () => resolve())
    })
    this.#post({ id: CLOSE_ID, call: 'close' })
    await closed
    await this.#worker.terminate()
  }

  #ask(order: OrderWithoutId, handler: Handlers): void {
    const id = ++this.#id
    this.#waiting.set(id, (answer) => {
      this.#waiting.delete(id)
      handler(answer)
    })
    this.#post({ ...order, id } as ThreadOrder)
  }

  #post(order: ThreadOrder): void {
    this.#worker.postMessage(order)
  }
}

type OrderWithoutId =
  | { call: 'transact'; transaction: Transaction }
  | { call: 'range'; reads: readonly Read[] }
  | { call: 'compact'; revision: number }

/** The entries of a frame lie in memory that is used again: the message takes a copy of them. */
function detached(write: Write): Write {
  if (write.write !== 'frame') return write
  return { ...write, frame: { ...write.frame, entries: exact(write.frame.entries) } }
}

function revived(reads: readonly (readonly KeyValue[])[]): KeyValue[][] {
  return reads.map((list) => list.map((row) => ({ ...row, value: view(row.value) })))
}

/** A message between threads turns a Buffer into a plain byte array. */
function view(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
