// The decision log that several machines hold: an entry is committed in the agreement store first
// and then written to the local journal, so the local journal never holds what was not agreed. One
// transaction is in flight while the next batch collects. Only the owner appends;
// a follower hands in the entries that others committed.
import { assert } from '../../shared/assert.ts'
import type { Clock } from '../../shared/clock.ts'
import type { ShardKeys } from '../agreement/keys.ts'
import {
  type AppendOrder,
  type AppendVerdict,
  type Owner,
  PROTOCOL,
  type Protocol,
} from '../agreement/protocol.ts'
import type { AgreementStore } from '../agreement/store.ts'
import type { Tail } from '../agreement/tail.ts'
import { latencies } from '../latencies.ts'
import { BATCH_HEADER_BYTES, type Batch, ENTRY_PREFIX_BYTES, nextEntry } from './batch.ts'
import { BatchQueue } from './batch-queue.ts'
import type { DecisionLogEvents, EngineLog } from './decision-log.ts'
import type { Page } from './read-page.ts'
import type { Replay } from './replay.ts'

/** Bytes of entries in one transaction; etcd takes 1.5 MB. */
const TRANSACTION_BYTES_MAX = 256 * 1024
/** Milliseconds before an unknown transaction is sent again. */
const AGAIN_MS = 10
/** A log that closes waits this long for its last entries; they were never answered for. */
const CLOSE_MS_MAX = 2000

export interface ReplicatedLogEvents extends DecisionLogEvents {
  /** Another member owns the shard: nothing more may be answered. The process exits after this. */
  onLost(reason: string): void
}

export interface ReplicatedLogOptions {
  /** The journal of this machine; its `onSynced` must call `localSynced`. */
  local: EngineLog
  store: AgreementStore
  keys: ShardKeys
  clock: Clock
  tail: Tail
  events: ReplicatedLogEvents
  /** Runs a task at the end of this turn of the event loop; `setImmediate` when absent. */
  soon?: (task: () => void) => void
  /** Replaced by tests that plant a bug. */
  protocol?: Protocol
}

type Role = 'follower' | 'owner' | 'lost' | 'closed'

export class ReplicatedLog implements EngineLog {
  readonly local: EngineLog
  /** How long each transaction took, its repetitions included, in microseconds. */
  readonly transactions = latencies()
  /** Transactions whose outcome was unknown. */
  unknown = 0
  readonly #options: ReplicatedLogOptions
  readonly #protocol: Protocol
  readonly #soon: (task: () => void) => void
  readonly #queue: BatchQueue
  #role: Role = 'follower'
  #owner: Owner | null = null
  #lastSeq: number
  #committedSeq: number
  #scheduled = false
  #inFlight: { batch: Batch; order: AppendOrder; sinceNs: number } | null = null
  #drained: (() => void) | null = null

  constructor(options: ReplicatedLogOptions) {
    const { local, clock } = options
    this.local = local
    this.#options = options
    this.#protocol = options.protocol ?? PROTOCOL
    this.#soon = options.soon ?? setImmediate
    this.#queue = new BatchQueue({ batchBytesMax: TRANSACTION_BYTES_MAX, clock })
    this.#lastSeq = local.lastSeq
    this.#committedSeq = local.lastSeq
  }

  get journalId(): string {
    return this.local.journalId
  }

  /** The epoch in which this member owns the shard; 0 while it follows. */
  get epoch(): number {
    return this.#owner?.epoch ?? 0
  }

  get role(): Role {
    return this.#role
  }

  get owner(): Owner | null {
    return this.#owner
  }

  get lastSeq(): number {
    return this.#lastSeq
  }

  /** Everything up to here is in the agreement store, or was. */
  get committedSeq(): number {
    return this.#committedSeq
  }

  get syncedSeq(): number {
    return this.local.syncedSeq
  }

  get oldestSeq(): number {
    return this.local.oldestSeq
  }

  get waiting(): number {
    return this.#lastSeq - this.local.syncedSeq
  }

  get waitingMs(): number {
    const oldestNs = this.#inFlight?.batch.sinceNs ?? this.#queue.head?.sinceNs
    if (oldestNs === undefined) return this.local.waitingMs
    const ageMs = (this.#options.clock.monotonicNs() - oldestNs) / 1e6
    return Math.max(ageMs, this.local.waitingMs)
  }

  /** Milliseconds for which the transaction in flight has had no outcome; 0 when none. */
  get stuckMs(): number {
    if (this.#inFlight === null) return 0
    return (this.#options.clock.monotonicNs() - this.#inFlight.sinceNs) / 1e6
  }

  get writable(): boolean {
    if (this.#role !== 'owner' || !this.local.writable) return false
    const { tail } = this.#options
    return tail.bytes + this.#queue.bytes < tail.bytesMax
  }

  /** Hands in the next entry that the owner committed. Followers only. */
  take(seq: number, bytes: Buffer): void {
    assert(this.#role === 'follower', 'an owner takes no entries of others')
    assert(seq === this.#lastSeq + 1, 'the entries of others come without a gap')
    this.#lastSeq = this.local.append(bytes)
    this.#committedSeq = this.#lastSeq
    assert(this.#lastSeq === seq, 'the local journal numbers entries as the owner does')
  }

  /** This member owns the shard from now on: everything that was committed before is applied. */
  own(owner: Owner): void {
    assert(this.#role === 'follower', 'only a follower becomes the owner')
    this.#owner = owner
    this.#role = 'owner'
  }

  append(bytes: Buffer): number {
    assert(bytes.length > 0, 'a journal entry without bytes')
    this.#lastSeq += 1
    // The entry of a log that is lost or closed gets a sequence that never becomes durable: it is
    // never answered for.
    if (this.#role !== 'owner') return this.#lastSeq
    this.#queue.add(bytes, this.#lastSeq)
    if (this.#inFlight === null && !this.#scheduled) {
      this.#scheduled = true
      this.#soon(() => {
        this.#scheduled = false
        this.#sendNext()
      })
    }
    return this.#lastSeq
  }

  writeNow(): void {
    this.#sendNext()
  }

  /** The local journal reports that everything up to `seq` is on this machine's disk. */
  localSynced(seq: number): void {
    this.#options.events.onSynced(seq)
    if (this.waiting === 0) this.#drained?.()
  }

  /** Another member owns the shard. Final, reported once. */
  lose(reason: string): void {
    if (this.#role === 'lost' || this.#role === 'closed') return
    this.#role = 'lost'
    this.#options.events.onLost(reason)
    this.#drained?.()
  }

  #sendNext(): void {
    if (this.#inFlight !== null || this.#role !== 'owner') return
    const batch = this.#queue.take()
    if (batch === undefined) return
    const { tail, keys, clock } = this.#options
    const { last } = tail
    assert(this.#owner !== null && last !== undefined, 'an owner knows the batch before its own')
    const { firstSeq: first, count } = batch
    const entries = batch.buffer.subarray(BATCH_HEADER_BYTES, batch.bytes)
    const frame = { epoch: this.#owner.epoch, first, count, entries }
    const order = { owner: this.#owner, frame, lastKey: last.key }
    this.#inFlight = { batch, order, sinceNs: clock.monotonicNs() }
    assert(keys.log(first) > last.key, 'batches follow each other')
    this.#send()
  }

  #send(): void {
    const flight = this.#inFlight
    if (flight === null || this.#role !== 'owner') return
    const { store, keys } = this.#options
    store.transact(this.#protocol.append(keys, flight.order), (outcome) => {
      if (this.#inFlight !== flight || this.#role !== 'owner') return
      this.#judge(this.#protocol.judgeAppend(outcome, flight.order))
    })
  }

  #judge(judged: AppendVerdict): void {
    const { events, clock } = this.#options
    if (judged.verdict === 'committed') return this.#commit()
    if (judged.verdict === 'again') {
      this.unknown += 1
      clock.after(AGAIN_MS, () => this.#send())
      return
    }
    if (judged.verdict === 'failed') {
      this.#role = 'lost'
      return events.onFailed(judged.reason)
    }
    const { owner } = judged
    const other = owner === null ? 'no member' : owner.memberId + ' in epoch ' + owner.epoch
    this.lose('the shard is owned by ' + other)
  }

  /** Hands the committed entries to the local journal: their answers leave after its sync. */
  #commit(): void {
    const flight = this.#inFlight
    assert(flight !== null, 'a commit without a transaction')
    const { batch, order, sinceNs } = flight
    const { tail, keys, clock } = this.#options
    this.transactions.observe((clock.monotonicNs() - sinceNs) / 1000)
    let at = BATCH_HEADER_BYTES
    for (let index = 0; index < batch.count; index++) {
      const next = nextEntry(batch.buffer, at)
      const seq = this.local.append(batch.buffer.subarray(at + ENTRY_PREFIX_BYTES, next))
      assert(seq === batch.firstSeq + index, 'the local journal numbers entries as this log does')
      at = next
    }
    this.#committedSeq = batch.firstSeq + batch.count - 1
    const { first, entries } = order.frame
    tail.add({ key: keys.log(first), lastSeq: this.#committedSeq, bytes: entries.length })
    this.#inFlight = null
    this.#queue.release(batch)
    this.local.writeNow()
    // The store works on the next batch while the local disk writes this one.
    this.#sendNext()
  }

  get attached(): boolean {
    return this.local.attached
  }

  get syncs(): EngineLog['syncs'] {
    return this.local.syncs
  }

  markAttached(): Promise<void> {
    return this.local.markAttached()
  }

  replay(fromSeq: number, visit: (seq: number, bytes: Buffer) => void): Replay {
    return this.local.replay(fromSeq, visit)
  }

  read(fromSeq: number, bytesMax: number): Promise<Page> {
    return this.local.read(fromSeq, bytesMax)
  }

  trim(seq: number): void {
    this.local.trim(seq)
  }

  async close(): Promise<void> {
    if (this.#role === 'owner' && this.waiting > 0) await this.#finish()
    this.#role = 'closed'
    await this.local.close()
  }

  #finish(): Promise<void> {
    return new Promise((resolve) => {
      const late = this.#options.clock.after(CLOSE_MS_MAX, resolve)
      this.#drained = () => {
        late.cancel()
        this.#drained = null
        resolve()
      }
      this.#sendNext()
    })
  }
}
