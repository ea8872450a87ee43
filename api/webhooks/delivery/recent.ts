// Recently computed values, keyed by text; the oldest goes when there are too many.

export interface Recent<Value> {
  get(name: string): Value | undefined
  keep(name: string, value: Value): void
}

export function createRecent<Value>(most: number): Recent<Value> {
  const kept = new Map<string, Value>()
  return {
    get: (name) => kept.get(name),
    keep(name, value) {
      for (const oldest of kept.keys()) {
        if (kept.size < most) break
        kept.delete(oldest)
      }
      kept.set(name, value)
    },
  }
}
