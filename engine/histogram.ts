// How long something took, as Prometheus counts it. Observing allocates nothing.

/** Upper bounds in microseconds. */
const BUCKETS_US = [
  5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
  1_000_000, 1_500_000, 2_000_000,
] as const

export class Histogram {
  readonly #counts = new Float64Array(BUCKETS_US.length + 1)
  #sumUs = 0

  observe(us: number): void {
    this.#sumUs += us
    let bucket = 0
    while (bucket < BUCKETS_US.length && us > (BUCKETS_US[bucket] as number)) bucket += 1
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1
  }

  /** The lines of a metrics page, in seconds; `label` as `name="value"`, empty for none. */
  lines(name: string, label = ''): string[] {
    const lines: string[] = []
    const before = label === '' ? '' : label + ','
    const behind = label === '' ? ' ' : '{' + label + '} '
    let total = 0
    for (const [bucket, count] of this.#counts.entries()) {
      total += count
      const bound = BUCKETS_US[bucket]
      const le = bound === undefined ? '+Inf' : String(bound / 1e6)
      lines.push(name + '_bucket{' + before + 'le="' + le + '"} ' + total)
    }
    lines.push(name + '_sum' + behind + this.#sumUs / 1e6, name + '_count' + behind + total)
    return lines
  }
}
