// Whether one object of a JSON text says a key twice: JSON.parse would keep the last and drop the others without a word.

/** One pass over a text that JSON.parse has taken. */
export function repeatsKey(json: string): boolean {
  /** The keys of each object that is open; null for an array. */
  const open: (Set<string> | null)[] = []
  let keyNext = false
  for (let at = 0; at < json.length; at++) {
    const character = json[at]
    if (character === '"') {
      const end = endOfText(json, at)
      const keys = open.at(-1)
      if (keyNext && keys) {
        // One key has many spellings with escapes.
        const key: string = JSON.parse(json.slice(at, end + 1))
        if (keys.has(key)) return true
        keys.add(key)
      }
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

/** Where the quote stands that ends the text whose first quote is at `from`. */
function endOfText(json: string, from: number): number {
  let at = from + 1
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at
}
