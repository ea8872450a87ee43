// Figures of a bench, as people read them.

/** The first column names the row. */
export function column(value: string | number, at: number): string {
  return at === 0 ? String(value).padEnd(26) : String(value).padStart(15)
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}

export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000
}
