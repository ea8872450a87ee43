// Requests in the order of their judgement: the authorization line judges a request before it asks
// the tenant, and writes its entry after the answer. Other entries stand between the two.
import type { DecisionEntry, ExpiryEntry } from '../../shared/wire/journal-entry.ts'
import { waited } from '../decision-replay/changed-state.ts'
import type { Objection } from './verdict.ts'

/** Chosen: far longer than any wait for a tenant. */
const AHEAD_MS = 30_000
const AHEAD_MAX = 10_000

export interface AheadEvents {
  /** Judges a request whose tenant was asked, at the moment of its judgement. */
  judge(entry: DecisionEntry): Objection
  /** Applies an entry at its place; null for a request that was not judged before. */
  apply(entry: DecisionEntry | ExpiryEntry, objection: Objection | null): void
}

interface Placed {
  seq: number
  entry: DecisionEntry | ExpiryEntry
}

export class RequestsAhead {
  readonly #events: AheadEvents
  readonly #placed: Placed[] = []
  /** Requests that are not judged yet, in the order of their judgement. */
  readonly #waiting: DecisionEntry[] = []
  readonly #judged = new Map<DecisionEntry, Objection>()
  #from = 0

  constructor(events: AheadEvents) {
    this.#events = events
  }

  /** Adds the next entry of the journal, and applies those that no later entry can precede. */
  add(seq: number, entry: DecisionEntry | ExpiryEntry): void {
    this.#placed.push({ seq, entry })
    if (entry.kind === 'decision' && waited(entry) && entry.judgedSeq < seq) this.#wait(entry)
    const nowMs = ownMs(entry)
    for (;;) {
      const first = this.#placed[this.#from]
      if (first === undefined) break
      const isFull = this.#placed.length - this.#from > AHEAD_MAX
      if (!isFull && nowMs - ownMs(first.entry) <= AHEAD_MS) break
      this.#applyNext(first)
    }
    if (this.#from > AHEAD_MAX) this.#placed.splice(0, this.#from)
    if (this.#placed.length < this.#from) this.#from = 0
  }

  /** Applies the rest. */
  end(): void {
    for (let next = this.#placed[this.#from]; next !== undefined; next = this.#placed[this.#from])
      this.#applyNext(next)
  }

  #wait(entry: DecisionEntry): void {
    let at = this.#waiting.length
    while (at > 0 && isBefore(entry, this.#waiting[at - 1] as DecisionEntry)) at -= 1
    this.#waiting.splice(at, 0, entry)
  }

  #applyNext({ seq, entry }: Placed): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (next.judgedSeq >= seq) break
      this.#waiting.shift()
      this.#judged.set(next, this.#events.judge(next))
    }
    this.#from += 1
    const objection = entry.kind === 'decision' ? this.#judged.get(entry) : undefined
    if (objection !== undefined) this.#judged.delete(entry as DecisionEntry)
    this.#events.apply(entry, objection ?? null)
  }
}

function isBefore(one: DecisionEntry, other: DecisionEntry): boolean {
  if (one.judgedSeq !== other.judgedSeq) return one.judgedSeq < other.judgedSeq
  return one.judgedOrder < other.judgedOrder
}

/** Milliseconds by our own clock, whatever the tenant's clock shows. */
function ownMs(entry: DecisionEntry | ExpiryEntry): number {
  if (entry.kind === 'expiry') return entry.expiredAtMs
  return entry.decision.decidedAtMs - entry.clockOffsetMs
}
