// The decision log without a disk, for tests and the seeded simulator: nothing becomes durable
// before the caller asks for it, and a crash keeps as many of the unsynced entries as the caller
// wants. It keeps the same promises as the log on disk.
import { assert } from '../../shared/assert.ts'
import type { Clock } from '../../shared/clock.ts'
import { latencies } from '../latencies.ts'
import { ENTRY_PREFIX_BYTES } from './batch.ts'
import type { AppendedEntry, DecisionLogEvents, EngineLog } from './decision-log.ts'
import type { Page } from './read-page.ts'
import type { Replay } from './replay.ts'

/** The part of the log that outlives a simulated crash: pass it to the next SimulatedLog. */
export interface SimulatedDisk {
  journalId: string
  epoch: number
  attached: boolean
  entries: AppendedEntry[]
  trimmedSeq: number
}

/** An empty disk, for the first life of a SimulatedLog. */
export function simulatedDisk(journalId: string): SimulatedDisk {
  return { journalId, epoch: 0, attached: false, entries: [], trimmedSeq: 0 }
}

export class SimulatedLog implements EngineLog {
  readonly syncs = latencies()
  readonly journalId: string
  readonly epoch: number
  readonly #disk: SimulatedDisk
  readonly #events: DecisionLogEvents
  readonly #clock: Clock
  readonly #waiting: { entry: AppendedEntry; sinceNs: number }[] = []
  #state: 'open' | 'failed' | 'closed' = 'open'
  #lastSeq: number
  #syncedSeq: number
  /** Set by a test to play a full disk. */
  roomLeft = true

  constructor(options: { disk: SimulatedDisk; events: DecisionLogEvents; clock: Clock }) {
    this.#disk = options.disk
    this.#events = options.events
    this.#clock = options.clock
    options.disk.epoch += 1
    this.journalId = options.disk.journalId
    this.epoch = options.disk.epoch
    this.#syncedSeq = options.disk.trimmedSeq + options.disk.entries.length
    this.#lastSeq = this.#syncedSeq
  }

  get lastSeq(): number {
    return this.#lastSeq
  }

  get syncedSeq(): number {
    return this.#syncedSeq
  }

  get waiting(): number {
    return this.#lastSeq - this.#syncedSeq
  }

  get waitingMs(): number {
    const oldest = this.#waiting[0]
    return oldest === undefined ? 0 : (this.#clock.monotonicNs() - oldest.sinceNs) / 1e6
  }

  get writable(): boolean {
    return this.#state === 'open' && this.roomLeft
  }

  get oldestSeq(): number {
    return this.#disk.entries[0]?.seq ?? 0
  }

  get attached(): boolean {
    return this.#disk.attached
  }

  markAttached(): Promise<void> {
    this.#disk.attached = true
    return Promise.resolve()
  }

  append(bytes: Buffer): number {
    this.#lastSeq += 1
    if (this.#state === 'open') {
      const entry = { seq: this.#lastSeq, bytes: Buffer.from(bytes) }
      this.#waiting.push({ entry, sinceNs: this.#clock.monotonicNs() })
    }
    return this.#lastSeq
  }

  /** Nothing becomes durable before the caller asks for it. */
  writeNow(): void {}

  /**
   * Makes the oldest `count` waiting entries durable, all of them when absent, and reports it to
   * the owner.
   */
  sync(count = this.#waiting.length): void {
    if (this.#state !== 'open' || !this.roomLeft) return
    this.#persist(count)
    if (count > 0) this.#events.onSynced(this.#syncedSeq)
  }

  /** The device fails. This is reported once, and nothing more becomes durable. */
  fail(reason: string): void {
    if (this.#state !== 'open') return
    this.#state = 'failed'
    this.#events.onFailed(reason)
  }

  /** The process dies. The first `kept` waiting entries reached the disk without a report. */
  crash(kept = 0): SimulatedDisk {
    this.#persist(Math.min(kept, this.#waiting.length))
    this.#state = 'closed'
    return this.#disk
  }

  #persist(count: number): void {
    for (const { entry } of this.#waiting.splice(0, count)) {
      this.#disk.entries.push(entry)
      this.#syncedSeq = entry.seq
    }
  }

  read(fromSeq: number, bytesMax: number): Promise<Page> {
    const frames: Buffer[] = []
    let count = 0
    let bytes = 0
    if (fromSeq <= this.#disk.trimmedSeq)
      return Promise.reject(
        new Error('entries before ' + this.oldestSeq + ' are no longer in the journal'),
      )
    for (let seq = fromSeq; seq <= this.#syncedSeq; seq++) {
      const entry = this.#entry(seq)
      const frameBytes = ENTRY_PREFIX_BYTES + entry.bytes.length
      if (count > 0 && bytes + frameBytes > bytesMax) break
      const prefix = Buffer.alloc(ENTRY_PREFIX_BYTES)
      prefix.writeUInt32LE(entry.bytes.length)
      frames.push(prefix, entry.bytes)
      bytes += frameBytes
      count += 1
    }
    return Promise.resolve({ firstSeq: fromSeq, count, frames: Buffer.concat(frames) })
  }

  replay(fromSeq: number, visit: (seq: number, bytes: Buffer) => void): Replay {
    if (fromSeq <= this.#disk.trimmedSeq)
      return { refused: 'The journal begins after entry ' + this.#disk.trimmedSeq + '.' }
    for (let seq = fromSeq; seq <= this.#syncedSeq; seq++) visit(seq, this.#entry(seq).bytes)
    return { replayed: Math.max(0, this.#syncedSeq - fromSeq + 1) }
  }

  #entry(seq: number): AppendedEntry {
    const entry = this.#disk.entries[seq - this.#disk.trimmedSeq - 1]
    assert(entry !== undefined && entry.seq === seq, 'sequences are gap-free')
    return entry
  }

  /** Drops everything up to `seq`, but never the latest durable entry. */
  trim(seq: number): void {
    const to = Math.min(seq, this.#syncedSeq - 1)
    if (to <= this.#disk.trimmedSeq) return
    this.#disk.entries.splice(0, to - this.#disk.trimmedSeq)
    this.#disk.trimmedSeq = to
  }

  close(): Promise<void> {
    if (this.#state === 'open') this.sync()
    this.#state = 'closed'
    return Promise.resolve()
  }
}
