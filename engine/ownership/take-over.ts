// Takes a shard over: everything behind the own end is read and applied, then one transaction makes
// this member the owner, if the owner did not change and nothing was appended meanwhile. A lost or
// unknown transaction leads to the next read.
import type { Clock } from '../../shared/clock.ts'
import type { ShardKeys } from '../agreement/keys.ts'
import { type Owner, ownerValue, PROTOCOL, type Protocol } from '../agreement/protocol.ts'
import type { AgreementStore } from '../agreement/store.ts'
import type { Follower } from '../follow.ts'

/** Milliseconds before an attempt without an outcome goes on. */
const AGAIN_MS = 15

export interface TakeOverOptions {
  store: AgreementStore
  keys: ShardKeys
  clock: Clock
  memberId: string
  follower: Follower
  /** This member owns the shard, and every entry before is applied. */
  onWon(owner: Owner): void
  /** Replaced by tests that plant a bug. */
  protocol?: Protocol
}

export class TakeOver {
  /** Attempts that were begun, for metrics. */
  attempts = 0
  readonly #options: TakeOverOptions
  readonly #protocol: Protocol
  /** The owner that is to be replaced while an attempt runs. */
  #replaced: Owner | null = null
  /** Values this process may have written, in any attempt. */
  readonly #tried = new Set<string>()
  #won = false

  constructor(options: TakeOverOptions) {
    this.#options = options
    this.#protocol = options.protocol ?? PROTOCOL
  }

  get running(): boolean {
    return this.#replaced !== null
  }

  /** Begins to replace an owner; without effect while an attempt runs. */
  begin(replaced: Owner): void {
    if (this.#won || this.#replaced !== null) return
    this.attempts += 1
    this.#replaced = replaced
    this.#readEnd()
  }

  /** The owner is alive after all: no new transaction is sent. */
  abandon(): void {
    this.#replaced = null
  }

  /**
   * The owner was read, with everything before it applied. True where it is this member by a
   * transaction of this process: one that was unknown, or is about to be answered.
   */
  heard(owner: Owner): boolean {
    if (this.#won) return true
    if (!this.#tried.has(ownerValue(owner).toString())) {
      const { epoch } = this.#replaced ?? owner
      if (owner.epoch > epoch) this.#replaced = null
      return false
    }
    this.#win(owner)
    return true
  }

  #readEnd(): void {
    this.#options.follower.readEnd((end) => {
      const replaced = this.#replaced
      if (end.read !== 'end') return end.read === 'unknown' ? this.#later() : this.abandon()
      if (this.heard(end.owner) || replaced === null) return
      if (end.owner.epoch === replaced.epoch) this.#transact(end.owner, end.floor)
    })
  }

  #transact(seen: Owner, floor: string | null): void {
    const { store, keys, memberId, follower } = this.#options
    const mine = { epoch: seen.epoch + 1, memberId }
    const order = { seen, floor, mine, nextSeq: follower.lastSeq + 1 }
    this.#tried.add(ownerValue(mine).toString())
    store.transact(this.#protocol.takeOver(keys, order), (outcome) => {
      if (this.#won) return
      if (outcome.outcome === 'succeeded') return this.#win(mine)
      if (outcome.outcome === 'unknown') return this.#later()
      if (this.#replaced !== null) this.#readEnd()
    })
  }

  #later(): void {
    this.#options.clock.after(AGAIN_MS, () => {
      if (!this.#won && this.#replaced !== null) this.#readEnd()
    })
  }

  #win(owner: Owner): void {
    if (this.#won) return
    this.#won = true
    this.#replaced = null
    this.#options.follower.stop()
    this.#options.onWon(owner)
  }
}
