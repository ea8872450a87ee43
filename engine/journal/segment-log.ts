// The decision log on disk: one writer, group commit. While one write is in flight the next batch
// collects; a batch is durable when its single O_DSYNC write returns. Every failure of a write is
// final: nothing is retried, nothing more is appended.
import type { FileHandle } from 'node:fs/promises'
import { assert } from '../../shared/assert.ts'
import type { Clock, Timer } from '../../shared/clock.ts'
import { JOURNAL_WATCHDOG_MS } from '../../shared/limits.ts'
import { latencies } from '../latencies.ts'
import { BATCH_BYTES_MAX, BATCH_HEADER_BYTES, type Batch, ENTRY_PREFIX_BYTES } from './batch.ts'
import { BatchQueue } from './batch-queue.ts'
import type { DecisionLogEvents, EngineLog } from './decision-log.ts'
import type { DirectoryLock } from './lock.ts'
import { type JournalMeta, writeMeta } from './meta-file.ts'
import { type Page, readPage } from './read-page.ts'
import { type Replay, replayEntries } from './replay.ts'
import { Segment } from './segment.ts'
import { type JournalFiles, SEGMENT_HEADER_BYTES } from './segment-files.ts'
import type { SpareSegments } from './spare-segments.ts'

/** Room kept for decisions already under way when new messages are refused for want of space. */
const RESERVE_BYTES = 4 * BATCH_BYTES_MAX
/** A log that closes waits this long for its last entries; they were never answered for. */
const CLOSE_MS_MAX = JOURNAL_WATCHDOG_MS

export interface SegmentLogParts {
  directory: string
  segmentBytes: number
  journal: Buffer
  meta: JournalMeta
  segments: readonly [Segment, ...Segment[]]
  handle: FileHandle
  lastSeq: number
  lock: DirectoryLock
  files: JournalFiles
  events: DecisionLogEvents
  clock: Clock
}

/** Built by openSegmentLog only, which has recovered the directory and holds its lock. */
export class SegmentLog implements EngineLog {
  readonly journalId: string
  readonly epoch: number
  /** How long each write since the start took to be durable. */
  readonly syncs = latencies()
  readonly #parts: SegmentLogParts
  readonly #queue: BatchQueue
  readonly #segments: Segment[]
  readonly #entryBytesMax: number
  readonly #written: (error: Error | null, written: number) => void
  readonly #overdue: () => void
  #spares: SpareSegments | null = null
  #active: Segment
  #handle: FileHandle
  #state: 'open' | 'closing' | 'failed' | 'closed' = 'open'
  #attached: boolean
  #lastSeq: number
  #syncedSeq: number
  #scheduled = false
  #inFlight: Batch | null = null
  #startedNs = 0
  #watchdog: Timer | null = null
  #drained: (() => void) | null = null

  constructor(parts: SegmentLogParts) {
    const { meta, segmentBytes, clock, segments } = parts
    this.journalId = meta.journalId
    this.epoch = meta.epoch
    this.#parts = parts
    const batchBytesMax = Math.min(BATCH_BYTES_MAX, segmentBytes - SEGMENT_HEADER_BYTES)
    this.#entryBytesMax = batchBytesMax - BATCH_HEADER_BYTES - ENTRY_PREFIX_BYTES
    this.#queue = new BatchQueue({ batchBytesMax, clock })
    this.#segments = [...segments]
    this.#active = segments.at(-1) ?? segments[0]
    this.#handle = parts.handle
    this.#attached = meta.attached
    this.#lastSeq = parts.lastSeq
    this.#syncedSeq = parts.lastSeq
    this.#written = (error, written) => this.#concludeWrite(error, written)
    this.#overdue = () => this.#judgeOverdue()
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
    const oldest = this.#inFlight ?? this.#queue.head
    if (oldest === undefined) return 0
    return (this.#parts.clock.monotonicNs() - oldest.sinceNs) / 1e6
  }

  /** Oldest entry still kept; 0 when there is none. */
  get oldestSeq(): number {
    return this.#segments[0]?.firstSeq ?? 0
  }

  /** False until a database confirmed this journal as its own; survives restarts. */
  get attached(): boolean {
    return this.#attached
  }

  get writable(): boolean {
    if (this.#state !== 'open') return false
    if (this.#spares !== null && this.#spares.count > 0) return true
    const reserve = Math.min(RESERVE_BYTES, this.#parts.segmentBytes / 8)
    const used = this.#active.endBytes + (this.#inFlight?.bytes ?? 0) + this.#queue.bytes
    return used + reserve <= this.#active.bytesMax
  }

  /** Hands over the maker of spares; called once, at open. */
  begin(spares: SpareSegments): void {
    this.#spares = spares
    spares.ensure()
  }

  append(bytes: Buffer): number {
    assert(
      bytes.length > 0 && bytes.length <= this.#entryBytesMax,
      'a journal entry of ' + bytes.length + ' bytes',
    )
    this.#lastSeq += 1
    // Once failed or closing, the entry gets a sequence that never becomes durable: it is never
    // answered for.
    if (this.#state !== 'open') return this.#lastSeq
    this.#queue.add(bytes, this.#lastSeq)
    if (this.#inFlight === null && !this.#scheduled) {
      this.#scheduled = true
      // Everything that arrives in this turn of the event loop shares the first write.
      setImmediate(() => {
        this.#scheduled = false
        this.#writeNext()
      })
    }
    return this.#lastSeq
  }

  /**
   * Writes the batch now. The caller knows that no further entry joins it in this turn of the event
   * loop.
   */
  writeNow(): void {
    this.#writeNext()
  }

  /** Called when a spare became ready: entries that waited for room are written. */
  resume(): void {
    if (!this.#scheduled) this.#writeNext()
  }

  /** Fail-stop: final, reported once. */
  fail(reason: string): void {
    if (this.#state === 'failed' || this.#state === 'closed') return
    this.#state = 'failed'
    this.#watchdog?.cancel()
    this.#parts.events.onFailed(reason)
    this.#drained?.()
  }

  #writeNext(): void {
    if (this.#inFlight !== null || this.#state === 'failed' || this.#state === 'closed') return
    const head = this.#queue.head
    if (head === undefined) {
      this.#drained?.()
      return
    }
    if (this.#active.endBytes + head.bytes > this.#active.bytesMax && !this.#rotate()) return
    const batch = this.#queue.take()
    assert(batch === head, 'the batch that was measured is the one written')
    head.seal(this.#parts.journal, this.epoch)
    this.#inFlight = head
    const { clock, files } = this.#parts
    this.#startedNs = clock.monotonicNs()
    this.#watchdog = clock.after(JOURNAL_WATCHDOG_MS, this.#overdue)
    const place = { bytes: head.bytes, at: this.#active.endBytes }
    files.write(this.#handle.fd, head.buffer, place, this.#written)
  }

  /** Moves on to the next spare; false while there is none. */
  #rotate(): boolean {
    const spare = this.#spares?.take()
    if (spare === undefined) return false
    const old = this.#handle
    this.#handle = spare.handle
    this.#active = new Segment({ ...spare.file, beginsAt: SEGMENT_HEADER_BYTES })
    this.#segments.push(this.#active)
    old.close().catch((error: unknown) => this.fail('a segment did not close: ' + String(error)))
    return true
  }

  #concludeWrite(error: Error | null, written: number): void {
    const batch = this.#inFlight
    if (this.#state === 'failed' || batch === null) return
    this.#watchdog?.cancel()
    if (error !== null) return this.fail('a journal write failed: ' + error.message)
    if (written !== batch.bytes)
      return this.fail('a journal write was short: ' + written + ' of ' + batch.bytes + ' bytes')
    this.syncs.observe((this.#parts.clock.monotonicNs() - this.#startedNs) / 1000)
    this.#active.note(batch)
    this.#syncedSeq = this.#active.lastSeq
    this.#inFlight = null
    this.#queue.release(batch)
    // The device works on the next batch while the answers of this one leave.
    this.#writeNext()
    this.#parts.events.onSynced(batch.firstSeq + batch.count - 1)
  }

  /**
   * A process that was stopped finds its timer and its finished write at once: the write is looked
   * at first.
   */
  #judgeOverdue(): void {
    const startedNs = this.#startedNs
    setImmediate(() => {
      if (this.#inFlight !== null && this.#startedNs === startedNs)
        this.fail('a journal write took longer than ' + JOURNAL_WATCHDOG_MS + ' ms')
    })
  }

  async read(fromSeq: number, bytesMax: number): Promise<Page> {
    assert(fromSeq > 0, 'sequences begin with 1')
    if (fromSeq > this.#syncedSeq) return { firstSeq: fromSeq, count: 0, frames: Buffer.alloc(0) }
    const segment = this.#segments.findLast(
      (held) => held.firstSeq !== 0 && held.firstSeq <= fromSeq,
    )
    if (segment === undefined)
      throw new Error('entries before ' + this.oldestSeq + ' are no longer in the journal')
    segment.readers += 1
    try {
      return await readPage(segment, this.#parts.journal, { fromSeq, bytesMax })
    } catch (error) {
      this.fail('the journal cannot be read: ' + String(error))
      throw error
    } finally {
      segment.readers -= 1
      this.#spares?.ensure()
    }
  }

  /**
   * Every durable entry from `fromSeq` on, at start. Synchronous; the bytes are valid during the
   * call only.
   */
  replay(fromSeq: number, visit: (seq: number, bytes: Buffer) => void): Replay {
    return replayEntries(this.#segments, this.#parts.journal, { fromSeq, visit })
  }

  trim(seq: number): void {
    for (;;) {
      const [oldest, next] = this.#segments
      // Only behind a segment that holds something durable: the latest sequence must survive a
      // crash.
      if (oldest === undefined || next === undefined || next.firstSeq === 0) return
      if (oldest.lastSeq > seq || next.firstSeq > this.#syncedSeq) return
      this.#segments.shift()
      this.#spares?.recycle(oldest)
    }
  }

  /** Records durably that a database confirmed this journal. */
  async markAttached(): Promise<void> {
    if (this.#attached) return
    await writeMeta(this.#parts.directory, { ...this.#parts.meta, attached: true })
    this.#attached = true
  }

  async close(): Promise<void> {
    if (this.#state === 'closing' || this.#state === 'closed') return
    if (this.#state === 'open') await this.#finish()
    const failed = this.#state === 'failed'
    this.#state = 'closed'
    await this.#spares?.close()
    // A write that never came back may still use the descriptor; it ends with the process.
    if (!failed || this.#inFlight === null) await this.#handle.close()
    await this.#parts.lock.release()
  }

  #finish(): Promise<void> {
    this.#state = 'closing'
    return new Promise((resolve) => {
      const late = this.#parts.clock.after(CLOSE_MS_MAX, resolve)
      this.#drained = () => {
        late.cancel()
        this.#drained = null
        resolve()
      }
      this.resume()
    })
  }
}
