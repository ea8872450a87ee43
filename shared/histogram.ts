// How long something took, as Prometheus counts it. Observing allocates nothing.

export class Histogram {
  readonly #bounds: readonly number[]
  readonly #perSecond: number
  readonly #counts: Float64Array
  #sum = 0

  /** `bounds`: of the buckets, ascending, in units of which `perSecond` are a second. */
  constructor(bounds: readonly number[], perSecond: number) {
    this.#bounds = [...bounds, Infinity]
    this.#perSecond = perSecond
    this.#counts = new Float64Array(this.#bounds.length)
  }

  /** The clocks of two machines can give a negative duration. It counts as 0. */
  observe(time: number): void {
    const taken = Math.max(0, time)
    let bucket = 0
    while (taken > (this.#bounds[bucket] as number)) bucket += 1
    this.#sum += taken
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1
  }

  /**
   * The lines of a metrics page, in seconds. `label`: as it stands between the braces; empty for
   * none.
   */
  lines(name: string, label = ''): string[] {
    const before = label === '' ? '' : label + ','
    const behind = label === '' ? ' ' : '{' + label + '} '
    let total = 0
    const buckets = Array.from(this.#counts, (count, at) => {
      total += count
      const bound = this.#bounds[at] as number
      const le = bound === Infinity ? '+Inf' : String(bound / this.#perSecond)
      return name + '_bucket{' + before + 'le="' + le + '"} ' + total
    })
    const sum = name + '_sum' + behind + this.#sum / this.#perSecond
    return [...buckets, sum, name + '_count' + behind + total]
  }
}
