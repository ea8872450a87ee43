// Values kept by name, in two generations: those asked for lately, and those before. A full one becomes the older, and what nobody
// asked for meanwhile is gone with it. What comes once is not kept at all. Part of gather.
import { SeenLately } from '../seen-lately.ts'

export class KeptLately<Value> {
  readonly #valuesMax: number
  readonly #seen: SeenLately
  #lately = new Map<string, Value>()
  #before = new Map<string, Value>()

  /**
   * Keeps the `valuesMax` values that were asked for last, and at most as many again; of the names asked for once it remembers
   * `namesMax`, a power of two.
   */
  constructor(valuesMax: number, namesMax: number) {
    this.#valuesMax = valuesMax
    this.#seen = new SeenLately(namesMax)
  }

  get(name: string): Value | undefined {
    const value = this.#lately.get(name)
    if (value !== undefined) return value
    const earlier = this.#before.get(name)
    if (earlier !== undefined) this.#keep(name, earlier)
    return earlier
  }

  /** Keeps it in the place of what is kept, or where its name comes again. */
  set(name: string, value: Value): void {
    if (this.#lately.has(name) || this.#seen.again(name)) this.#keep(name, value)
  }

  #keep(name: string, value: Value): void {
    if (this.#lately.size >= this.#valuesMax) {
      this.#before = this.#lately
      this.#lately = new Map()
    }
    this.#lately.set(name, value)
  }
}
