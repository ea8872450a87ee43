// Detects a repeated key in an object of a JSON text: JSON.parse would keep the last and drop the
// others silently.

/** One pass over a text that JSON.parse has accepted. */
export function repeatsKey(json: string): boolean {
  /** The keys of each object that is open; null for an array. */
  const open: (Set<string> | null)[] = []
  let keyNext = false
  for (let at = 0; at < json.length; at++) {
    const character = json[at]
    if (character === '"') {
      const end = endOfText(json, at)
      if (keyNext && !added(open.at(-1), json.slice(at, end + 1))) return true
      keyNext = false
      at = end
    } else if (character === '{' || character === '[') {
      open.push(character === '{' ? new Set() : null)
      keyNext = character === '{'
    } else if (character === '}' || character === ']') open.pop()
    else if (character === ',') keyNext = open.at(-1) !== null
  }
  return false
}

/** Returns false when the key is already there: one key has many spellings with escapes. */
function added(keys: Set<string> | null | undefined, spelling: string): boolean {
  const key: string = JSON.parse(spelling)
  if (keys?.has(key)) return false
  keys?.add(key)
  return true
}

/** Returns the position of the quote that ends the text whose first quote is at `from`. */
function endOfText(json: string, from: number): number {
  let at = from + 1
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at
}
