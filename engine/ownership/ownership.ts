// The owner of the shard as one member sees it: the member follows, suspects an owner that is
// silent or cannot commit, takes over, and as the owner watches whether another member does. A
// suspicion decides nothing: the agreement store decides, and a wrong one costs milliseconds.
import type { Clock, Timer } from '../../shared/clock.ts'
import type { ShardKeys } from '../agreement/keys.ts'
import {
  NO_OWNER,
  type Owner,
  ownerValue,
  type Protocol,
  readOwner,
} from '../agreement/protocol.ts'
import type { AgreementStore, Watch } from '../agreement/store.ts'
import type { Tail } from '../agreement/tail.ts'
import { startTrim } from '../agreement/trim.ts'
import type { Follower } from '../follow.ts'
import type { ReplicatedLog } from '../journal/replicated-log.ts'
import type { Members } from './members.ts'
import { TakeOver } from './take-over.ts'

const CHECK_MS = 10
/** Between two members that both may take over. */
const RANK_MS = 15
/** An owner that lives but cannot commit for so long is replaced. */
const STUCK_MS_MAX = 500
/**
 * Chosen: from then on this member writes by itself, to know whether the store or the owner is at
 * fault: while etcd elects a leader nobody can commit, and another owner would help nobody.
 */
const PROVED_FROM_MS = STUCK_MS_MAX / 2
/** The owner's next try goes out within this time of the first write that the store takes. */
const PROVED_MS = 350
const AGAIN_MS = 20
/**
 * A follower that hears the owner but sees its entries so late watches through another endpoint.
 */
const DEAF_MS_MAX = 1000
/** A member without news for so long leaves the drain to another one. */
const HEARS_MS = 2000

/** A sign of life of the owner. */
export interface Beat {
  epoch: number
  committedSeq: number
  /** Milliseconds for which its transaction in flight has had no outcome. */
  stuckMs: number
}

/** Why a member takes over, as its metrics name it. */
export type Cause = 'no_owner' | 'own_restart' | 'link_closed' | 'silent' | 'stuck'

export interface OwnershipOptions {
  store: AgreementStore
  keys: ShardKeys
  clock: Clock
  memberId: string
  follower: Follower
  log: ReplicatedLog
  tail: Tail
  members: Members
  /** Milliseconds of silence after which an owner is suspected. */
  silentMs: number
  /** Null where this member may take over; else the reason against it. */
  ineligible(): string | null
  /** Another member owns the shard: beats of that epoch are expected from now on. */
  onFollowing(owner: Owner): void
  /** This member owns the shard from now on. */
  onOwned(owner: Owner): void
  protocol?: Protocol
}

export class Ownership {
  /** Changes of the owner that this member saw. */
  changes = 0
  /** Why this member took over; null before it did. */
  cause: Cause | null = null
  readonly #options: OwnershipOptions
  readonly #takeOver: TakeOver
  #owner: Owner | null = null
  #heardNs = 0
  #closed = false
  #beat: Beat | null = null
  #behindNs: number | null = null
  /** The last moment at which no entry was missing. */
  #currentNs = 0
  #timer: Timer | null = null
  #suspectedNs: number | null = null
  #provedNs: number | null = null
  #trim: { stop(): void } | null = null
  #watch: Watch | null = null
  #stopped = false

  constructor(options: OwnershipOptions) {
    this.#options = options
    const { store, keys, clock, memberId, follower, protocol } = options
    this.#takeOver = new TakeOver({
      store,
      keys,
      clock,
      memberId,
      follower,
      onWon: (owner) => this.#own(owner),
      ...(protocol === undefined ? {} : { protocol }),
    })
  }

  /** The owner as this member last read it; null before the first reading. */
  get owner(): Owner | null {
    return this.#owner
  }

  get owns(): boolean {
    return this.#options.log.role === 'owner'
  }

  /** True where this member owns the shard, or had every entry of a living owner lately. */
  get hears(): boolean {
    const nowNs = this.#options.clock.monotonicNs()
    const sinceMs = (nowNs - Math.min(this.#heardNs, this.#currentNs)) / 1e6
    return this.owns || (this.#beat !== null && sinceMs < HEARS_MS)
  }

  /** Entries that the owner committed and this member has not applied. */
  get lag(): number {
    if (this.owns || this.#beat === null) return 0
    return Math.max(0, this.#beat.committedSeq - this.#options.follower.lastSeq)
  }

  start(): void {
    this.#heardNs = this.#options.clock.monotonicNs()
    this.#check()
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
    this.#trim?.stop()
    this.#watch?.cancel()
    this.#options.follower.stop()
  }

  /** The follower read the owner, with every entry before handed on. */
  heardOwner(owner: Owner): void {
    if (this.owns || this.#takeOver.heard(owner)) return
    const before = this.#owner
    if (before !== null && before.epoch === owner.epoch) return
    if (before !== null) this.changes += 1
    this.#owner = owner
    this.#beat = null
    this.#closed = false
    this.#suspectedNs = null
    this.#heardNs = this.#options.clock.monotonicNs()
    this.#options.onFollowing(owner)
  }

  /** The owner gave a sign of life. */
  beat(beat: Beat): void {
    if (this.owns || beat.epoch !== this.#owner?.epoch) return
    this.#beat = beat
    this.#closed = false
    this.#heardNs = this.#options.clock.monotonicNs()
    if (this.#cause() !== null) return
    this.#suspectedNs = null
    this.#takeOver.abandon()
  }

  /** The link to the owner of this epoch closed or could not be opened. */
  closed(epoch: number): void {
    if (epoch !== this.#owner?.epoch) return
    this.#closed = true
    this.#judgeOwner()
  }

  /** Why the owner is suspected, or null. */
  #cause(): Cause | null {
    const { clock, memberId, silentMs } = this.#options
    const owner = this.#owner
    if (owner === null) return null
    if (owner.memberId === NO_OWNER.memberId) return 'no_owner'
    // An earlier process of this member owned it, or the owner named this member.
    if (owner.memberId === memberId) return 'own_restart'
    if (this.#closed) return 'link_closed'
    if ((clock.monotonicNs() - this.#heardNs) / 1e6 > silentMs) return 'silent'
    const stuckMs = this.#beat?.stuckMs ?? 0
    return stuckMs > STUCK_MS_MAX && this.#provedMs > PROVED_MS ? 'stuck' : null
  }

  #check(): void {
    if (this.#stopped || this.owns || this.#options.log.role !== 'follower') return
    this.#timer = this.#options.clock.after(CHECK_MS, () => this.#check())
    this.#watchDeafness()
    this.#proveWrites()
    this.#judgeOwner()
  }

  /** Milliseconds since the store took a write of this member that the owner's waits for. */
  get #provedMs(): number {
    if (this.#provedNs === null) return 0
    return (this.#options.clock.monotonicNs() - this.#provedNs) / 1e6
  }

  #proveWrites(): void {
    const { clock, members } = this.#options
    const stuckMs = this.#beat?.stuckMs ?? 0
    if (stuckMs <= PROVED_FROM_MS) this.#provedNs = null
    else if (members.wroteMsAgo > stuckMs - PROVED_FROM_MS) members.prove()
    else this.#provedNs ??= clock.monotonicNs()
  }

  #judgeOwner(): void {
    if (this.#stopped || this.owns || this.#options.log.role !== 'follower') return
    const { clock, members, ineligible } = this.#options
    const owner = this.#owner
    if (owner === null || this.#takeOver.running) return
    const cause = this.#cause()
    if (cause === null || ineligible() !== null) return
    const nowNs = clock.monotonicNs()
    this.#suspectedNs ??= nowNs
    const waits = owner.memberId === this.#options.memberId ? 0 : members.rank * RANK_MS
    if ((nowNs - this.#suspectedNs) / 1e6 < waits) return
    this.cause = cause
    this.#takeOver.begin(owner)
  }

  /** A watch can be open and say nothing: the owner's beats tell what it should have said. */
  #watchDeafness(): void {
    const { clock, follower } = this.#options
    if (this.lag === 0) {
      this.#behindNs = null
      this.#currentNs = clock.monotonicNs()
      return
    }
    const nowNs = clock.monotonicNs()
    this.#behindNs ??= nowNs
    if ((nowNs - this.#behindNs) / 1e6 < DEAF_MS_MAX) return
    this.#behindNs = null
    follower.restart()
  }

  #own(owner: Owner): void {
    const { store, keys, clock, tail, log, members, protocol } = this.#options
    if (this.#stopped) return
    this.changes += 1
    this.#owner = owner
    this.#timer?.cancel()
    log.own(owner)
    this.#trim = startTrim({
      store,
      keys,
      clock,
      tail,
      owner,
      heldBy: (copies) => members.heldBy(copies),
      ...(protocol === undefined ? {} : { protocol }),
    })
    this.#watchOwner(owner)
    this.#options.onOwned(owner)
  }

  /** An owner without traffic learns here that another member took over. */
  #watchOwner(owner: Owner): void {
    const { store, keys, clock } = this.#options
    const again = (): void => void clock.after(AGAIN_MS, () => this.#watchOwner(owner))
    store.range([{ from: keys.owner, until: null }], (outcome) => {
      if (this.#stopped || !this.owns) return
      if (outcome.outcome === 'unknown') return again()
      if (this.#lostTo(owner, outcome.reads[0]?.[0]?.value)) return
      this.#watch = store.watch(
        { prefix: keys.owner, fromRevision: outcome.revision + 1 },
        {
          onEvents: (events) => {
            for (const { value } of events) if (this.#lostTo(owner, value)) return
          },
          onCancelled: again,
        },
      )
    })
  }

  #lostTo(owner: Owner, value: Buffer | undefined): boolean {
    if (value?.equals(ownerValue(owner))) return false
    const other = value === undefined ? null : readOwner(value)
    this.#watch?.cancel()
    this.#options.log.lose(
      other === null
        ? 'the owner of the shard cannot be read'
        : 'member ' + other.memberId + ' owns the shard in epoch ' + other.epoch,
    )
    return true
  }
}
