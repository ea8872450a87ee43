// Every text of a request's query and body, with the place where it stands.

/**
 * Visits each name and each text of a JSON value in their order, with its JSON pointer; the pointer
 * of a name is that of its value.
 */
export function eachText(value: unknown, visit: (text: string, pointer: string) => void): void {
  const pending = [{ at: '', value }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { at, value } = next
    if (typeof value === 'string') visit(value, at)
    if (typeof value !== 'object' || value === null) continue
    const inner = Object.entries(value).map(([name, value]) => {
      const below = at + '/' + escapePointer(name)
      visit(name, below)
      return { at: below, value }
    })
    // The last one is taken first.
    for (let last = inner.pop(); last !== undefined; last = inner.pop()) pending.push(last)
  }
}

/** A name as a part of a JSON pointer (RFC 6901). */
export function escapePointer(text: string): string {
  return text.replaceAll('~', '~0').replaceAll('/', '~1')
}
