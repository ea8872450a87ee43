// Events and their callbacks: signed at the moment they are sent, repeated for three days.
import { createHmac } from 'node:crypto'
import { type Clock, unixSeconds } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import type { Faults } from './faults.ts'
import type { PeerEvent } from './objects.ts'
import type { PeerStore } from './store.ts'

const API_VERSION = '2026-10-28.endive'
const CALLBACK_MS_MAX = 10_000
const REPEATED_MS = 3 * 86_400_000
const BACKOFF_MS_MIN = 1000
const BACKOFF_MS_MAX = 12 * 3_600_000

export interface CallbackOptions {
  store: PeerStore
  faults: Faults
  /** Null: events are kept and told to nobody. Where the address may move: a function. */
  callbackUrl: string | null | (() => string)
  /** Each signs every callback; two while one replaces the other. */
  secrets: readonly string[]
  clock: Clock
  log: Logger
  /** The factor of every delay. */
  pace: number
}

export class Callbacks {
  readonly #options: CallbackOptions
  /** Callbacks that wait for a later one to go first. */
  readonly #heldBack: string[] = []
  readonly #running = new Set<string>()
  #timer: { cancel(): void } | null = null
  #closed = false

  constructor(options: CallbackOptions) {
    this.#options = options
  }

  /** Records an event with the object as it is now, and tells it. */
  emit(type: string, object: object, idempotencyKey: string | null): void {
    const { store, faults, callbackUrl } = this.#options
    const event = store.put('event', {
      ...{ id: store.newId('evt'), object: 'event', created: store.nowS, livemode: false },
      ...{ api_version: API_VERSION, type, data: { object }, pending_webhooks: 1 },
      request: { id: null, idempotency_key: idempotencyKey },
    })
    if (callbackUrl === null) return
    const fault = faults.takeCallback(type)
    if (fault?.kind === 'lose') return
    const since = store.nowMs
    const due = since + (fault?.kind === 'delay' ? (fault.delay_ms ?? 0) : 0)
    store.saveCallback({ event: event.id, attempts: 0, since, due })
    if (fault?.kind === 'reorder') {
      this.#heldBack.push(event.id)
      return
    }
    if (fault?.kind === 'duplicate') void this.#send(event).then(() => this.#send(event))
    void this.run().then(async () => {
      if (this.#heldBack.splice(0).length > 0) await this.run()
    })
  }

  /** Tells every callback that is due, and waits for the next one. */
  async run(): Promise<void> {
    if (this.#closed) return
    const { store } = this.#options
    const due = store
      .callbacks()
      .filter((callback) => callback.due <= store.nowMs && !this.#running.has(callback.event))
      .filter(({ event }) => !this.#heldBack.includes(event))
    await Promise.all(due.map(({ event }) => this.#tell(event)))
    this.#await()
  }

  close(): void {
    this.#closed = true
    this.#timer?.cancel()
  }

  #await(): void {
    const { store, clock, pace } = this.#options
    this.#timer?.cancel()
    const waiting = store.callbacks().filter(({ event }) => !this.#running.has(event))
    if (this.#closed || waiting.length === 0) return
    const delayMs = Math.max(50, Math.min(...waiting.map(({ due }) => due)) - store.nowMs)
    this.#timer = clock.after(Math.min(delayMs * pace, 60_000), () => void this.run())
  }

  async #tell(id: string): Promise<void> {
    const { store, pace, log } = this.#options
    this.#running.add(id)
    const isHeard = await this.#send(store.get('event', id))
    this.#running.delete(id)
    const callback = store.callbacks().find(({ event }) => event === id)
    if (callback === undefined) return
    const isOver = store.nowMs - callback.since > REPEATED_MS
    if (isHeard || isOver) return store.endCallback(id)
    const attempts = callback.attempts + 1
    const backoffMs = Math.min(BACKOFF_MS_MAX, BACKOFF_MS_MIN * 4 ** (attempts - 1)) * pace
    log.warn({ event: id, attempts }, 'a callback was not heard')
    store.saveCallback({ ...callback, attempts, due: store.nowMs + backoffMs })
  }

  async #send(event: PeerEvent): Promise<boolean> {
    const { callbackUrl, clock, secrets } = this.#options
    const body = JSON.stringify(event)
    const at = unixSeconds(clock.nowMs())
    const signatures = secrets.map((secret) => ',v1=' + signatureOf(secret, at + '.' + body))
    try {
      const response = await fetch(
        typeof callbackUrl === 'function' ? callbackUrl() : (callbackUrl ?? ''),
        {
          method: 'POST',
          headers: {
            'content-type': 'application/json; charset=utf-8',
            'stripe-signature': 't=' + at + signatures.join(''),
          },
          body,
          signal: AbortSignal.timeout(CALLBACK_MS_MAX),
        },
      )
      await response.arrayBuffer()
      return response.ok
    } catch {
      return false
    }
  }
}

function signatureOf(secret: string, signed: string): string {
  return createHmac('sha256', secret).update(signed).digest('hex')
}
