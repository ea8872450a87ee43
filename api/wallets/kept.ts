// What took long to make, kept as long as it is the same and there is room. Whoever asks while it is made waits for the same making.

export interface Kept<Value> {
  /** What is kept under the name in this version; else what `make` makes, which is kept unless it fails. */
  get(name: string, version: string, make: () => Promise<Value>): Promise<Value>
}

interface Entry<Value> {
  version: string
  made: Promise<Value>
  /** In bytes; 0 until it is made. */
  size: number
}

/** Beyond `bytesMax` what was made first is forgotten first. */
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
