// Reads the new transactions of one owner for all its readers, while there is one. The drain knows
// nothing of readers: a notice with every commit would stand behind one lock of PostgreSQL.
import type { Clock, EpochMs, Timer } from '../../../shared/clock.ts'
import type { Logger } from '../../../shared/log.ts'
import { eventText, type FeedConnection, FeedReader } from './reader.ts'
import { chosen, type FeedRecord, type Numbered, tickOf } from './tick.ts'

const TICK_MS = 100
/** Rows of one tick, and as far as a reader may be behind. */
export const ROWS_MAX = 1000
const COMMENT_MS = 15_000
/** A read that takes longer is told to the readers. */
const SILENT_MS = 1000
/** Cards whose last four digits are remembered. */
const CARDS_MAX = 10_000
const NS_PER_MS = 1e6

/** The rows of one owner, as PostgreSQL holds them. */
export interface FeedSource {
  newestSeq(): Promise<number>
  rowsAfter(after: number, limit: number): Promise<FeedRecord[]>
  lastFours(cardIds: readonly string[]): Promise<{ id: string; last4: string }[]>
}

/** Null: the rows were read. */
type ReadEnd = { error: unknown } | null

export interface PollerParts {
  source: FeedSource
  clock: Clock
  log: Logger
}

export class FeedPoller {
  readonly #parts: PollerParts
  readonly #readers = new Set<FeedReader>()
  readonly #last4 = new Map<string, string>()
  #seq: number
  #timer: Timer | null = null
  /** The read that runs. One at a time: a silent database gets no second question. */
  #reading: Promise<ReadEnd> | null = null
  #readingNs = 0
  #isAway = false
  #commentedNs: number

  /** Begins behind the transaction of this number. */
  constructor(parts: PollerParts, seq: number) {
    this.#parts = parts
    this.#seq = seq
    this.#commentedNs = parts.clock.monotonicNs()
  }

  get readers(): number {
    return this.#readers.size
  }

  /**
   * Adds a reader. With the number of an earlier event it gets the transactions since, or the news
   * of a gap where they are more than ROWS_MAX; any other text begins with the next transaction.
   */
  async add(connection: FeedConnection): Promise<FeedReader> {
    const known = positionOf(connection.lastEventId)
    if (known !== null && known > this.#seq) await this.#reach(known)
    const from = known !== null && known <= this.#seq ? known : this.#seq
    const reader = new FeedReader(connection, from, () => this.#remove(reader))
    reader.begin()
    // The reader joins once it knows all that was told meanwhile.
    while (reader.seq < this.#seq) {
      const to = this.#seq
      if (to - reader.seq > ROWS_MAX) reader.gap(to)
      else {
        const records = await this.#parts.source.rowsAfter(reader.seq, to - reader.seq)
        const next = await this.#numbered(records.filter(({ seq }) => seq <= to))
        // A wipe has deleted them.
        if (next === null) break
        reader.tick(next, eventText(next))
      }
    }
    this.#readers.add(reader)
    this.#timer ??= this.#later()
    return reader
  }

  /** Looks at every reader's credential. */
  check(): void {
    for (const reader of this.#readers) reader.check()
  }

  close(): void {
    for (const reader of this.#readers) reader.end('closing')
  }

  #later(): Timer {
    return this.#parts.clock.after(TICK_MS, () => this.#beat())
  }

  #beat(): void {
    this.#timer = this.#readers.size === 0 ? null : this.#later()
    const now = this.#parts.clock.monotonicNs()
    const isDue = now - this.#commentedNs >= COMMENT_MS * NS_PER_MS
    if (isDue) this.#commentedNs = now
    for (const reader of this.#readers) {
      reader.check()
      reader.flush()
      if (isDue) reader.comment()
    }
    if (this.#reading === null) void this.#read()
    else if (now - this.#readingNs > SILENT_MS * NS_PER_MS)
      this.#wentAway('no answer for ' + SILENT_MS + ' ms')
  }

  /**
   * Another process, which reads later than this one, has told the reader of these transactions:
   * the poller passes them first, or the reader would be told twice. A number that no transaction
   * has stays ahead. Rejects while the database is away.
   */
  async #reach(seq: number): Promise<void> {
    if (seq > (await this.#parts.source.newestSeq())) return
    // A read that runs may have begun before the transaction was there.
    await this.#reading
    while (this.#seq < seq) {
      const before = this.#seq
      const end = await this.#read()
      if (end !== null) throw end.error
      // A wipe has deleted the rest.
      if (this.#seq === before) return
    }
  }

  #read(): Promise<ReadEnd> {
    if (this.#reading === null) {
      this.#readingNs = this.#parts.clock.monotonicNs()
      this.#reading = this.#readRows().finally(() => {
        this.#reading = null
      })
    }
    return this.#reading
  }

  /** A read that fails is repeated at the next beat, from the same number. */
  async #readRows(): Promise<ReadEnd> {
    try {
      for (let full = true; full; ) {
        const records = await this.#parts.source.rowsAfter(this.#seq, ROWS_MAX)
        full = records.length === ROWS_MAX && this.#readers.size > 0
        const next = await this.#numbered(records)
        this.#cameBack()
        if (next !== null) this.#tell(next)
      }
      return null
    } catch (error) {
      this.#wentAway(error)
      return { error }
    }
  }

  #tell(next: Numbered): void {
    const text = eventText(next)
    this.#seq = next.seq
    for (const reader of this.#readers) reader.tick(next, text)
  }

  async #numbered(records: readonly FeedRecord[]): Promise<Numbered | null> {
    const last = records.at(-1)
    if (last === undefined) return null
    await this.#learn(chosen(records).map(({ cardId }) => cardId))
    const now: EpochMs = this.#parts.clock.nowMs() + last.offsetMs
    return { seq: last.seq, tick: tickOf(records, { now, last4: this.#last4 }) }
  }

  async #learn(cardIds: readonly string[]): Promise<void> {
    const missing = [...new Set(cardIds)].filter((id) => !this.#last4.has(id))
    if (missing.length === 0) return
    const found = await this.#parts.source.lastFours(missing)
    if (this.#last4.size + found.length > CARDS_MAX) this.#last4.clear()
    for (const { id, last4 } of found) this.#last4.set(id, last4)
  }

  #wentAway(error: unknown): void {
    if (this.#isAway) return
    this.#isAway = true
    this.#parts.log.warn({ err: error }, 'the feed of transactions waits for the database')
    for (const reader of this.#readers) reader.state('waiting')
  }

  #cameBack(): void {
    if (!this.#isAway) return
    this.#isAway = false
    for (const reader of this.#readers) reader.state('going_on')
  }

  #remove(reader: FeedReader): void {
    this.#readers.delete(reader)
    if (this.#readers.size > 0) return
    this.#timer?.cancel()
    this.#timer = null
  }
}

/** The number in a Last-Event-ID; null for any other text. */
function positionOf(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null
}
