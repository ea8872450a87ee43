// Values kept by name, in two generations: those asked for lately, and those before. A full one becomes the older, and what nobody
// asked for meanwhile is gone with it. Part of gather.

export class KeptLately<Value> {
  readonly #valuesMax: number
  #lately = new Map<string, Value>()
  #before = new Map<string, Value>()

  /** Keeps the `valuesMax` values that were asked for last, and at most as many again. */
  constructor(valuesMax: number) {
    this.#valuesMax = valuesMax
  }

  get(name: string): Value | undefined {
    const value = this.#lately.get(name)
    if (value !== undefined) return value
    const earlier = this.#before.get(name)
    if (earlier !== undefined) this.set(name, earlier)
    return earlier
  }

  set(name: string, value: Value): void {
    if (this.#lately.size >= this.#valuesMax) {
      this.#before = this.#lately
      this.#lately = new Map()
    }
    this.#lately.set(name, value)
  }
}
