// Every text of a request's query and body, with the place where it stands.

/**
 * Visits each name and each text of a JSON value, with its JSON pointer; the pointer of a name is
 * that of its value.
 */
export function eachText(value: unknown, visit: (text: string, pointer: string) => void): void {
  const pending = [{ at: '', value }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { at, value } = next
    if (typeof value === 'string') visit(value, at)
    if (typeof value !== 'object' || value === null) continue
    for (const [name, inner] of Object.entries(value)) {
      const below = at + '/' + escapePointer(name)
      visit(name, below)
      pending.push({ at: below, value: inner })
    }
  }
}

/** A name as a part of a JSON pointer (RFC 6901). */
export function escapePointer(text: string): string {
  return text.replaceAll('~', '~0').replaceAll('/', '~1')
}
