// Follows a shard: reads the owner and every batch at one revision, watches from the next, and
// hands each committed entry on at once and in order. It asks another member's journal for entries
// that the agreement store no longer holds.
import type { Clock } from '../shared/clock.ts'
import { decodeFrame, eachFrameEntry } from './agreement/frame.ts'
import type { ShardKeys } from './agreement/keys.ts'
import { type Owner, readOwner } from './agreement/protocol.ts'
import type { AgreementStore, KeyValue, Watch, WatchEvent } from './agreement/store.ts'
import type { Tail } from './agreement/tail.ts'

/** Milliseconds before a read or a watch that ended is tried again. */
const AGAIN_MS = 20

export interface FollowEvents {
  /** The next entry; the bytes are valid during the call. */
  apply(seq: number, bytes: Buffer): void
  /** The owner was read or changed, and every entry before that change was handed on. */
  onOwner(owner: Owner): void
  /** The cursor of config records that an owner confirmed. */
  onFloor(cursor: string): void
  /**
   * The entries from `fromSeq` on are no longer in the store. Fetch them from a member's journal,
   * hand each to `follower.fetched`, then call `done`.
   */
  onGap(fromSeq: number, untilSeq: number, done: () => void): void
  /** The store holds something that cannot be read: the process must stop. */
  onFailed(reason: string): void
}

export interface FollowerOptions {
  store: AgreementStore
  keys: ShardKeys
  clock: Clock
  tail: Tail
  /** Last entry of the local journal. */
  lastSeq: number
  events: FollowEvents
}

/** `gap`: entries are missing, and a catch-up began. */
export type EndRead =
  | { read: 'end'; owner: Owner; floor: string | null }
  | { read: 'unknown' | 'gap' }

export class Follower {
  /** Watches that ended and were begun again. */
  restarts = 0
  readonly #options: FollowerOptions
  #lastSeq: number
  #watch: Watch | null = null
  /** Counts the starts: a read of an earlier one begins no watch. */
  #turn = 0
  /** Revision of the newest read that was handed on. */
  #readRevision = 0
  #stopped = false
  #catchingUp = false
  #current = false

  constructor(options: FollowerOptions) {
    this.#options = options
    this.#lastSeq = options.lastSeq
  }

  get lastSeq(): number {
    return this.#lastSeq
  }

  /** False before the first read, and while entries are fetched from another member. */
  get current(): boolean {
    return this.#current && !this.#catchingUp
  }

  /** Reads everything, then watches; repeats itself until it is stopped. */
  start(): void {
    if (this.#stopped) return
    this.#watch?.cancel()
    this.#watch = null
    this.#turn += 1
    this.#read(this.#turn)
  }

  /** Watches a member that seems to hear nothing through another endpoint. */
  restart(): void {
    if (this.#watch === null || this.#catchingUp) return
    this.restarts += 1
    this.start()
  }

  stop(): void {
    this.#stopped = true
    this.#watch?.cancel()
    this.#watch = null
  }

  /**
   * Reads the owner, the floor and everything behind the own end at one revision and hands it on:
   * the first half of a take-over. The watch goes on beside it.
   */
  readEnd(done: (end: EndRead) => void): void {
    const { store, keys, events } = this.#options
    const reads = [
      { from: keys.owner, until: null },
      { from: keys.floor, until: null },
      { from: keys.log(this.#lastSeq + 1), until: keys.logEnd },
    ]
    store.range(reads, (outcome) => {
      if (this.#stopped) return
      if (outcome.outcome === 'unknown') return done({ read: 'unknown' })
      this.#readRevision = Math.max(this.#readRevision, outcome.revision)
      const [owners, floors, batches] = outcome.reads
      if (!this.#absorbAll(batches ?? [])) return done({ read: 'gap' })
      const floor = floors?.[0]?.value.toString() ?? null
      if (floor !== null) events.onFloor(floor)
      const owner = this.#ownerOf(owners?.[0]?.value)
      if (owner !== null) done({ read: 'end', owner, floor })
    })
  }

  /** An entry that another member's journal held. */
  fetched(seq: number, bytes: Buffer): void {
    if (seq === this.#lastSeq + 1) this.#apply(seq, bytes)
  }

  #read(turn: number): void {
    const { store, keys, clock, tail, events } = this.#options
    const reads = [
      { from: keys.owner, until: null },
      { from: keys.floor, until: null },
      { from: keys.logBegin, until: keys.logEnd },
    ]
    const readBefore = this.#readRevision
    store.range(reads, (outcome) => {
      if (this.#stopped || turn !== this.#turn) return
      if (outcome.outcome === 'unknown') return void clock.after(AGAIN_MS, () => this.#read(turn))
      // The read of a take-over began later and was answered first: this one lacks the entries
      // between them. A revision below that of a read before it is one of another store.
      if (outcome.revision >= readBefore && outcome.revision < this.#readRevision)
        return this.#read(turn)
      const [owners, floors, batches] = outcome.reads
      tail.clear()
      if (!this.#absorbAll(batches ?? [])) return
      if (tail.last === undefined || tail.last.lastSeq < this.#lastSeq) return this.#ahead()
      this.#current = true
      const floor = floors?.[0]?.value
      if (floor !== undefined) events.onFloor(floor.toString())
      const owner = this.#ownerOf(owners?.[0]?.value)
      if (owner !== null) events.onOwner(owner)
      if (!this.#stopped && turn === this.#turn) this.#watchFrom(outcome.revision + 1)
    })
  }

  #watchFrom(fromRevision: number): void {
    const { store, keys, clock } = this.#options
    this.#watch = store.watch(
      { prefix: keys.prefix, fromRevision },
      {
        onEvents: (events) => this.#hear(events),
        onCancelled: () => {
          this.#watch = null
          this.restarts += 1
          clock.after(AGAIN_MS, () => this.start())
        },
      },
    )
  }

  #hear(heard: readonly WatchEvent[]): void {
    const { keys, tail, events } = this.#options
    for (const { type, key, value } of heard) {
      // A gap or a change of owner stops what follows.
      if (this.#stopped || this.#catchingUp) return
      if (type === 'delete') {
        if (key >= keys.logBegin && key < keys.logEnd) tail.dropBefore(key + '\0')
      } else if (key >= keys.logBegin && key < keys.logEnd) {
        if (!this.#absorb(key, value)) return
      } else if (key === keys.owner) {
        const owner = this.#ownerOf(value)
        if (owner !== null) events.onOwner(owner)
      } else if (key === keys.floor) events.onFloor(value.toString())
    }
  }

  #absorbAll(batches: readonly KeyValue[]): boolean {
    return batches.every(({ key, value }) => this.#absorb(key, value))
  }

  /** Hands the entries of a batch on; false where entries before it are missing. */
  #absorb(key: string, value: Buffer): boolean {
    const { tail, events } = this.#options
    const decoded = decodeFrame(value)
    if (!decoded.ok) {
      this.stop()
      events.onFailed(decoded.error)
      return false
    }
    const { first, count, entries } = decoded.value
    if (first > this.#lastSeq + 1) {
      this.#catchUp(first - 1)
      return false
    }
    tail.add({ key, lastSeq: first + count - 1, bytes: entries.length })
    eachFrameEntry(decoded.value, (seq, bytes) => {
      if (seq > this.#lastSeq) this.#apply(seq, bytes)
    })
    return true
  }

  #apply(seq: number, bytes: Buffer): void {
    this.#lastSeq = seq
    this.#options.events.apply(seq, bytes)
  }

  #catchUp(untilSeq: number): void {
    if (this.#catchingUp) return
    this.#catchingUp = true
    this.#watch?.cancel()
    this.#watch = null
    this.#options.events.onGap(this.#lastSeq + 1, untilSeq, () => {
      this.#catchingUp = false
      this.start()
    })
  }

  /**
   * The newest batch is never trimmed, so no journal can be ahead of the store that agreed on it.
   */
  #ahead(): void {
    const { tail, events } = this.#options
    const end = tail.last === undefined ? 'holds no batch' : 'ends at entry ' + tail.last.lastSeq
    this.stop()
    events.onFailed(
      'the journal of this member ends at entry ' +
        this.#lastSeq +
        ', but the agreement store ' +
        end +
        ': the store was lost or restored, or the directory belongs to another shard',
    )
  }

  #ownerOf(value: Buffer | undefined): Owner | null {
    const owner = value === undefined ? null : readOwner(value)
    if (owner === null) {
      this.stop()
      this.#options.events.onFailed(
        'the owner of the shard cannot be read: the shard is not founded, or was lost',
      )
    }
    return owner
  }
}
