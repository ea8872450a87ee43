// Equal values share one object, because most of a million cards have the same lists. Data used by
// every message then stays in the processor's cache, and uses its memory once.

/**
 * Beyond this number all values are forgotten at once and shared anew; longer values are never
 * shared.
 */
const VALUES_MAX = 20_000
const CHARS_MAX = 1000

const values = new Map<string, unknown>()

/** Returns the value, or an equal earlier one; it must never change. */
export function interned<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  const text = JSON.stringify(value)
  if (text.length > CHARS_MAX) return value
  const known = values.get(text)
  if (known !== undefined) return known as Value
  if (values.size >= VALUES_MAX) values.clear()
  values.set(text, value)
  return value
}
