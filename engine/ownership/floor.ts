// The config records that an owner confirmed to a caller: a suspension, once confirmed, binds every
// later owner. The owner raises the floor by a fenced transaction before it confirms, and a new
// owner decides nothing before its own records cover the floor.
import type { Clock } from '../../shared/clock.ts'
import type { ShardKeys } from '../agreement/keys.ts'
import { type Owner, ownerValue, PROTOCOL, type Protocol } from '../agreement/protocol.ts'
import type { AgreementStore, Transacted, Unknown } from '../agreement/store.ts'

/** Milliseconds before an unknown transaction is sent again. */
const AGAIN_MS = 10

export interface FloorOptions {
  store: AgreementStore
  keys: ShardKeys
  clock: Clock
  /** True where this member has the config records that were confirmed at a cursor. */
  covers(cursor: string): boolean
  /** Replaced by tests that plant a bug. */
  protocol?: Protocol
}

type Raised = (raised: boolean) => void

export class Floor {
  readonly #options: FloorOptions
  readonly #protocol: Protocol
  #cursor: string | null = null
  #owner: Owner | null = null
  /** Callers whose records the transaction in flight does not name yet. */
  #next: Raised[] = []
  #nextCursor = ''
  #inFlight = false
  #stopped = false

  constructor(options: FloorOptions) {
    this.#options = options
    this.#protocol = options.protocol ?? PROTOCOL
  }

  /** The cursor that this member last heard; null before any was confirmed. */
  get cursor(): string | null {
    return this.#cursor
  }

  /** True while this member lacks records that an owner confirmed: it decides nothing. */
  get missing(): boolean {
    return this.#cursor !== null && !this.#options.covers(this.#cursor)
  }

  heard(cursor: string): void {
    this.#cursor = cursor
  }

  own(owner: Owner): void {
    this.#owner = owner
  }

  stop(): void {
    this.#stopped = true
    for (const raised of this.#next.splice(0)) raised(false)
  }

  /**
   * Calls `raised(true)` once every later owner is bound to these records; false where this member
   * is not the owner, or lacks records itself. Callers that come together share a transaction.
   */
  raise(cursor: string, raised: Raised): void {
    // A member that lacks confirmed records would lower the floor.
    if (this.#owner === null || this.#stopped || this.missing) return raised(false)
    this.#next.push(raised)
    this.#nextCursor = cursor
    if (!this.#inFlight) this.#send(this.#next.splice(0), cursor)
  }

  #send(callers: Raised[], cursor: string): void {
    const { store, keys, clock } = this.#options
    const owner = this.#owner
    if (owner === null) return
    this.#inFlight = true
    const order = { before: this.#cursor, cursor }
    store.transact(this.#protocol.raiseFloor(keys, owner, order), (outcome) => {
      if (outcome.outcome === 'unknown' && !this.#stopped)
        return void clock.after(AGAIN_MS, () => this.#send(callers, cursor))
      const raised = outcome.outcome === 'succeeded' || isRaised(outcome, owner, cursor)
      if (raised) this.#cursor = cursor
      this.#inFlight = false
      for (const caller of callers) caller(raised)
      if (this.#next.length > 0) this.#send(this.#next.splice(0), this.#nextCursor)
    })
  }
}

/** An earlier try was applied, and its answer was lost. */
function isRaised(outcome: Transacted | Unknown, owner: Owner, cursor: string): boolean {
  if (outcome.outcome !== 'failed') return false
  const [owners, floors] = outcome.reads
  return (
    owners?.[0]?.value.equals(ownerValue(owner)) === true &&
    floors?.[0]?.value.toString() === cursor
  )
}
