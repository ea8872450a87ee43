// The state of the processor: objects by kind, in a file that only grows. A restart reads it again.
import { randomBytes } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { type Clock, unixSeconds } from '../../shared/clock.ts'
import type {
  Charge,
  Customer,
  Invoice,
  Meter,
  MeterEvent,
  PaymentMethod,
  PeerEvent,
  PortalConfiguration,
  PortalSession,
} from './objects.ts'
import { missing } from './problem.ts'

interface Kinds {
  customer: Customer
  payment_method: PaymentMethod
  invoice: Invoice
  charge: Charge
  meter: Meter
  meter_event: MeterEvent
  portal_configuration: PortalConfiguration
  portal_session: PortalSession
  event: PeerEvent
}

type Kind = keyof Kinds

/** An answer that is repeated for its idempotency key. */
export interface KeptAnswer {
  key: string
  /** The request, as a digest. */
  request: string
  status: number
  body: object
  /** Unix seconds. */
  at: number
}

/** A callback that is still to be told. */
export interface PendingCallback {
  event: string
  attempts: number
  /** Milliseconds by the processor's clock. */
  since: number
  due: number
}

type Entry =
  | { is: 'put'; kind: Kind; value: Kinds[Kind] }
  | { is: 'kept'; value: KeptAnswer }
  | { is: 'clock'; aheadMs: number }
  | { is: 'callback'; value: PendingCallback }
  | { is: 'told'; event: string }

const KEPT_S = 86_400

export class PeerStore {
  readonly #objects = new Map<Kind, Map<string, Kinds[Kind]>>()
  readonly #kept = new Map<string, KeptAnswer>()
  readonly #callbacks = new Map<string, PendingCallback>()
  readonly #clock: Clock
  readonly #path: string | null
  #aheadMs = 0

  /** `path` null: the state lives in memory alone. */
  constructor(clock: Clock, path: string | null) {
    this.#clock = clock
    this.#path = path
    if (path !== null && existsSync(path)) this.#read(readFileSync(path, 'utf8'))
  }

  /** A line that was cut off by a kill is the last one, and was never answered. */
  #read(text: string): void {
    for (const line of text.split('\n')) {
      try {
        this.#apply(JSON.parse(line) as Entry)
      } catch {
        // The end of the file, or a line that was cut off.
      }
    }
  }

  #append(entry: Entry): void {
    if (this.#path !== null) appendFileSync(this.#path, JSON.stringify(entry) + '\n')
    this.#apply(entry)
  }

  #apply(entry: Entry): void {
    if (entry.is === 'put') this.#of(entry.kind).set(entry.value.id, entry.value)
    else if (entry.is === 'kept') this.#kept.set(entry.value.key, entry.value)
    else if (entry.is === 'clock') this.#aheadMs = entry.aheadMs
    else if (entry.is === 'callback') this.#callbacks.set(entry.value.event, entry.value)
    else this.#callbacks.delete(entry.event)
  }

  #of(kind: Kind): Map<string, Kinds[Kind]> {
    const known = this.#objects.get(kind)
    if (known !== undefined) return known
    const made = new Map<string, Kinds[Kind]>()
    this.#objects.set(kind, made)
    return made
  }

  get nowMs(): number {
    return this.#clock.nowMs() + this.#aheadMs
  }

  get nowS(): number {
    return unixSeconds(this.nowMs)
  }

  /** Moves the processor's clock ahead; it never goes back. */
  advance(ms: number): void {
    this.#append({ is: 'clock', aheadMs: this.#aheadMs + ms })
  }

  newId(prefix: string): string {
    return prefix + '_' + randomBytes(12).toString('hex')
  }

  put<Name extends Kind>(kind: Name, value: Kinds[Name]): Kinds[Name] {
    this.#append({ is: 'put', kind, value })
    return value
  }

  find<Name extends Kind>(kind: Name, id: string): Kinds[Name] | null {
    return (this.#of(kind).get(id) as Kinds[Name] | undefined) ?? null
  }

  get<Name extends Kind>(kind: Name, id: string): Kinds[Name] {
    const found = this.find(kind, id)
    if (found === null) throw missing(kind, id)
    return found
  }

  /** Newest first. */
  all<Name extends Kind>(kind: Name): Kinds[Name][] {
    return [...(this.#of(kind).values() as Iterable<Kinds[Name]>)].reverse()
  }

  keep(answer: KeptAnswer): void {
    this.#append({ is: 'kept', value: answer })
  }

  /** Null where the key is new, or older than 24 hours. */
  kept(key: string): KeptAnswer | null {
    const kept = this.#kept.get(key)
    return kept === undefined || this.nowS - kept.at >= KEPT_S ? null : kept
  }

  saveCallback(value: PendingCallback): void {
    this.#append({ is: 'callback', value })
  }

  endCallback(event: string): void {
    this.#append({ is: 'told', event })
  }

  callbacks(): PendingCallback[] {
    return [...this.#callbacks.values()]
  }
}
