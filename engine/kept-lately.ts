// Values kept by name, at most so many: those that are asked for again and again. What comes once is not kept at all. Where there is
// no room, a newcomer takes that of one that nobody asked for meanwhile, and only now and then: where more names come in turns than
// there is room for, most would go before they come again. Each of them costs the collector more than finding it out: it has been
// kept just long enough to become old, and each time the old have grown by so much, all of them are marked.
import { SeenLately } from './seen-lately.ts'

/** So many newcomers, of which one looks for room. */
const NEWCOMERS = 8

interface Kept<Value> {
  value: Value
  /** Since the hand was there. */
  asked: boolean
}

export class KeptLately<Value> {
  readonly #valuesMax: number
  readonly #seen: SeenLately
  readonly #kept = new Map<string, Kept<Value>>()
  /** Goes round what is kept; what is kept or forgotten meanwhile does not disturb it. */
  #hand = this.#kept.entries()
  #newcomers = 0

  /** Keeps `valuesMax` values; of the names asked for once it remembers `namesMax`, a power of two. */
  constructor(valuesMax: number, namesMax: number) {
    this.#valuesMax = valuesMax
    this.#seen = new SeenLately(namesMax)
  }

  get(name: string): Value | undefined {
    const kept = this.#kept.get(name)
    if (kept === undefined) return undefined
    kept.asked = true
    return kept.value
  }

  /** Keeps it in the place of what is kept, or where its name comes again and there is room or one can make it. */
  set(name: string, value: Value): void {
    const kept = this.#kept.get(name)
    if (kept !== undefined) kept.value = value
    else if (this.#seen.again(name) && (this.#kept.size < this.#valuesMax || this.#makesRoom()))
      this.#kept.set(name, { value, asked: false })
  }

  forget(name: string): void {
    this.#kept.delete(name)
  }

  /** Looks at one value at most: one that was asked for stays until it is looked at again. */
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
