// Caches expensive values while they are current and space remains. Simultaneous callers share one
// computation.

export interface Kept<Value> {
  /**
   * Returns the cached value of the name in this version, or the result of `make`, which is cached
   * unless it fails.
   */
  get(name: string, version: string, make: () => Promise<Value>): Promise<Value>
}

interface Entry<Value> {
  version: string
  made: Promise<Value>
  /** Size in bytes; 0 until the value exists. */
  size: number
}

/** Beyond `bytesMax` the oldest values are dropped first. */
export function openKept<Value>(bytesMax: number, sizeOf: (value: Value) => number): Kept<Value> {
  const entries = new Map<string, Entry<Value>>()
  let bytes = 0
  const forget = (name: string): void => {
    bytes -= entries.get(name)?.size ?? 0
    entries.delete(name)
  }
  const measure = (name: string, entry: Entry<Value>, size: number): void => {
    if (entries.get(name) !== entry) return
    entry.size = size
    bytes += size
    for (const oldest of entries.keys()) if (bytes > bytesMax) forget(oldest)
  }
  return {
    get(name, version, make) {
      const known = entries.get(name)
      if (known?.version === version) return known.made
      const entry: Entry<Value> = { version, made: make(), size: 0 }
      forget(name)
      entries.set(name, entry)
      entry.made.then(
        (value) => measure(name, entry, sizeOf(value)),
        () => {
          if (entries.get(name) === entry) forget(name)
        },
      )
      return entry.made
    },
  }
}
