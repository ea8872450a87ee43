// The agreement store without etcd, for tests and the seeded simulator. It keeps etcd's promises
// and no more: calls take time, get lost before or after they were applied, are applied long after
// their caller gave up, are refused for want of space; watches end; history is compacted.
import type { Clock } from '../../shared/clock.ts'
import { encodeFrame } from './frame.ts'
import type {
  AgreementStore,
  Compare,
  KeyValue,
  Ranged,
  Read,
  Transacted,
  Transaction,
  Unknown,
  Watch,
  WatchEvent,
  WatchHandlers,
  Write,
} from './store.ts'

/** Milliseconds after which a caller without an answer takes the outcome as unknown. */
const SIMULATED_DEADLINE_MS = 300

/**
 * The way of one call: `lost`: never applied. `unanswered`: applied. `late`: applied, much later.
 */
export type Fate = 'answered' | 'lost' | 'unanswered' | 'late' | 'no_space'

export interface SimulatedFaults {
  clock: Clock
  /** Milliseconds of one direction. */
  delayMs(): number
  /** Milliseconds after the deadline until a late call is applied. */
  lateMs(): number
  fate(memberId: string): Fate
}

interface Row {
  value: Buffer
  revision: number
}

interface Watching {
  memberId: string
  prefix: string
  handlers: WatchHandlers
  /** Revision of the next event to be handed on. */
  nextRevision: number
  /** When the last event arrives: events stay in order. */
  arrivesMs: number
  over: boolean
}

export class SimulatedStore {
  readonly rows = new Map<string, Row>()
  revision = 1
  readonly #faults: SimulatedFaults
  readonly #history: { revision: number; events: WatchEvent[] }[] = []
  readonly #watches = new Set<Watching>()
  #compacted = 0
  /** Called after each transaction that changed something, for checks of a test. */
  onChanged: (events: readonly WatchEvent[]) => void = () => {}

  constructor(faults: SimulatedFaults) {
    this.#faults = faults
  }

  /** The store as one member reaches it. */
  client(memberId: string): AgreementStore {
    return {
      transact: (transaction, done) => {
        // The bytes leave now: the caller uses its memory again before a late call is applied.
        const sent = { ...transaction, writes: transaction.writes.map(encoded) }
        this.#call(memberId, {
          writes: sent.writes.some(({ write }) => write !== 'remove'),
          apply: () => this.apply(sent),
          done,
        })
      },
      range: (reads, done) =>
        this.#call(memberId, { writes: false, apply: () => this.read(reads), done }),
      watch: (range, handlers) => this.#watch(memberId, range, handlers),
      compact: (revision, done) =>
        this.#call(memberId, {
          writes: false,
          apply: () => this.#compact(revision),
          done: (outcome) => done(outcome === null ? null : outcome.reason),
        }),
      close: () => Promise.resolve(),
    }
  }

  /** Ends the watches of a member, as a broken connection does; of all members when absent. */
  cancelWatches(memberId?: string): void {
    for (const watching of [...this.#watches])
      if (memberId === undefined || watching.memberId === memberId) this.#end(watching, 'cut')
  }

  /** Applies a transaction at once. */
  apply({ compares, writes, otherwise }: Transaction): Transacted {
    if (!compares.every((compare) => this.#holds(compare)))
      return { outcome: 'failed', revision: this.revision, reads: this.read(otherwise).reads }
    const next = this.revision + 1
    const events = writes.flatMap((write) => this.#write(write, next))
    if (events.length > 0) {
      this.revision = next
      this.#history.push({ revision: next, events })
      this.onChanged(events)
      for (const watching of this.#watches) this.#deliver(watching)
    }
    return { outcome: 'succeeded', revision: this.revision, reads: [] }
  }

  /** Reads at once. */
  read(reads: readonly Read[]): Ranged {
    const lists = reads.map(({ from, until }) => this.#select(from, until))
    return { outcome: 'read', revision: this.revision, reads: lists }
  }

  #select(from: string, until: string | null): KeyValue[] {
    return [...this.rows.keys()]
      .filter((key) => (until === null ? key === from : key >= from && key < until))
      .sort()
      .map((key) => {
        const row = this.rows.get(key)
        return { key, value: row?.value ?? Buffer.alloc(0), revision: row?.revision ?? 0 }
      })
  }

  #call<Outcome>(
    memberId: string,
    call: { writes: boolean; apply(): Outcome; done(outcome: Outcome | Unknown): void },
  ): void {
    const { clock, delayMs, lateMs, fate } = this.#faults
    const way = fate(memberId)
    const unknown = (reason: string): void => call.done({ outcome: 'unknown', reason })
    if (way === 'no_space' && call.writes) {
      clock.after(delayMs(), () => unknown('the store has no space'))
      return
    }
    if (way === 'answered' || way === 'no_space') {
      clock.after(delayMs(), () => {
        const outcome = call.apply()
        clock.after(delayMs(), () => call.done(outcome))
      })
      return
    }
    clock.after(SIMULATED_DEADLINE_MS, () => unknown('no answer in time'))
    if (way === 'unanswered') clock.after(delayMs(), () => call.apply())
    if (way === 'late') clock.after(SIMULATED_DEADLINE_MS + lateMs(), () => call.apply())
  }

  #holds(compare: Compare): boolean {
    const row = this.rows.get(compare.key)
    if (compare.is === 'absent') return row === undefined
    if (compare.is === 'present') return row !== undefined
    return row?.value.equals(compare.value) ?? false
  }

  #write(write: Write, revision: number): WatchEvent[] {
    if (write.write === 'remove') {
      const keys = this.#select(write.from, write.until).map(({ key }) => key)
      for (const key of keys) this.rows.delete(key)
      return keys.map((key) => ({ type: 'delete', key, value: Buffer.alloc(0) }))
    }
    const value = write.write === 'put' ? Buffer.from(write.value) : encodeFrame(write.frame)
    this.rows.set(write.key, { value, revision })
    return [{ type: 'put', key: write.key, value }]
  }

  /** Null: etcd's answer to a compaction holds nothing. */
  #compact(revision: number): null {
    this.#compacted = Math.max(this.#compacted, Math.min(revision, this.revision))
    while ((this.#history[0]?.revision ?? this.revision) < this.#compacted) this.#history.shift()
    for (const watching of [...this.#watches])
      if (watching.nextRevision < this.#compacted) this.#end(watching, 'compacted')
    return null
  }

  #watch(
    memberId: string,
    { prefix, fromRevision }: { prefix: string; fromRevision: number },
    handlers: WatchHandlers,
  ): Watch {
    const watching: Watching = {
      memberId,
      prefix,
      handlers,
      nextRevision: fromRevision,
      arrivesMs: 0,
      over: false,
    }
    const { clock, delayMs } = this.#faults
    clock.after(delayMs(), () => {
      if (watching.over) return
      this.#watches.add(watching)
      if (watching.nextRevision < this.#compacted) this.#end(watching, 'compacted')
      else this.#deliver(watching)
    })
    return {
      cancel: () => {
        watching.over = true
        this.#watches.delete(watching)
      },
    }
  }

  #deliver(watching: Watching): void {
    const { clock, delayMs } = this.#faults
    // Each change is one revision, so the place of a revision in the history is known.
    const oldest = this.#history[0]?.revision ?? this.revision + 1
    for (const { revision, events } of this.#history.slice(
      Math.max(0, watching.nextRevision - oldest),
    )) {
      watching.nextRevision = revision + 1
      const heard = events.filter(({ key }) => key.startsWith(watching.prefix))
      if (heard.length === 0) continue
      const nowMs = clock.monotonicNs() / 1e6
      watching.arrivesMs = Math.max(watching.arrivesMs, nowMs + delayMs())
      clock.after(watching.arrivesMs - nowMs, () => {
        if (!watching.over) watching.handlers.onEvents(heard)
      })
    }
  }

  #end(watching: Watching, reason: string): void {
    watching.over = true
    this.#watches.delete(watching)
    this.#faults.clock.after(this.#faults.delayMs(), () => watching.handlers.onCancelled(reason))
  }
}

function encoded(write: Write): Write {
  if (write.write !== 'frame') return write
  return { write: 'put', key: write.key, value: encodeFrame(write.frame) }
}
