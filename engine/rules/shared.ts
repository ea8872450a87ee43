// Values that say the same are one: of a million cards most have the same lists. What is met with every message is then found
// near the processor, and takes its memory once.

/** Values are forgotten all at once beyond so many, and shared anew; longer ones stay their own. */
const VALUES_MAX = 20_000
const CHARS_MAX = 1000

const values = new Map<string, unknown>()

/** The value, or one met earlier that says the same; it must never change. */
export function shared<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  const text = JSON.stringify(value)
  if (text.length > CHARS_MAX) return value
  const known = values.get(text)
  if (known !== undefined) return known as Value
  if (values.size >= VALUES_MAX) values.clear()
  values.set(text, value)
  return value
}
