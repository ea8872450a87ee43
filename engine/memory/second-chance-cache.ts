// Keeps up to a fixed number of values by name for repeated lookups. A name seen once is not kept.
// When the store is full, only one newcomer in several replaces a value that was not read since the
// last check: otherwise, with more names in rotation than places, most values would be evicted
// before their next use. An evicted value costs the garbage collector more than a new lookup: it
// lived just long enough to become old, and each growth of the old generation marks all of it.
import { AdmissionFilter } from './admission-filter.ts'

/** One in this many newcomers looks for space. */
const NEWCOMERS = 8

interface Kept<Value> {
  value: Value
  /** True if the value was read since the hand last passed. */
  asked: boolean
}

export class SecondChanceCache<Value> {
  readonly #valuesMax: number
  readonly #seen: AdmissionFilter
  readonly #kept = new Map<string, Kept<Value>>()
  /** Iterates over the kept values; additions and removals meanwhile do not disturb it. */
  #hand = this.#kept.entries()
  #newcomers = 0

  /** Keeps `valuesMax` values and remembers `namesMax` names seen once, a power of two. */
  constructor(valuesMax: number, namesMax: number) {
    this.#valuesMax = valuesMax
    this.#seen = new AdmissionFilter(namesMax)
  }

  get(name: string): Value | undefined {
    const kept = this.#kept.get(name)
    if (kept === undefined) return undefined
    kept.asked = true
    return kept.value
  }

  /**
   * Replaces a kept value, or adds one if its name was seen before and a place is free or can be
   * freed.
   */
  set(name: string, value: Value): void {
    const kept = this.#kept.get(name)
    if (kept !== undefined) kept.value = value
    else if (this.#seen.again(name) && (this.#kept.size < this.#valuesMax || this.#makesRoom()))
      this.#kept.set(name, { value, asked: false })
  }

  forget(name: string): void {
    this.#kept.delete(name)
  }

  /** Checks at most one value: a value that was read stays until the next check. */
  #makesRoom(): boolean {
    this.#newcomers += 1
    if (this.#newcomers % NEWCOMERS !== 0) return false
    const [name, kept] = this.#underHand()
    if (!kept.asked) return this.#kept.delete(name)
    kept.asked = false
    return false
  }

  #underHand(): [string, Kept<Value>] {
    let next = this.#hand.next()
    if (next.done === true) {
      this.#hand = this.#kept.entries()
      next = this.#hand.next()
    }
    return next.value as [string, Kept<Value>]
  }
}
