// Finds a key that a JSON text has twice, in the message itself or in an object directly below it:
// of two amounts one reader takes the first and another the last. One pass over the bytes; the
// decoder decides whether they are JSON at all.

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
/** Chosen: most keys of one object; a message has two dozen. */
const KEYS_MAX = 128
const DEPTH_MAX = 2
/** Start, end and hash of each key of the two open objects. Used within one call only. */
const KEYS = Array.from({ length: DEPTH_MAX }, () => new Int32Array(3 * KEYS_MAX))
const COUNTS = new Int32Array(DEPTH_MAX)

/**
 * True when a key of the outermost object, or of an object in it, appears twice, is written with an
 * escape (two spellings of one key), or is one of more than 128.
 */
export function repeatsKey(body: Uint8Array): boolean {
  const bytes = body.length
  let depth = 0
  // Depths with an open object, not an array: bit 0 is the outermost.
  let objects = 0
  let keyNext = false
  for (let at = 0; at < bytes; at++) {
    const byte = body[at] as number
    if (byte === QUOTE) {
      const end = endOfText(body, at + 1)
      if (keyNext && repeated(body, at + 1, end, depth - 1)) return true
      keyNext = false
      at = end
    } else if (byte === COMMA) {
      keyNext = depth > 0 && depth <= DEPTH_MAX && ((objects >> (depth - 1)) & 1) === 1
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      keyNext = byte === OPEN_OBJECT && depth < DEPTH_MAX
      if (depth < DEPTH_MAX) {
        objects = keyNext ? objects | (1 << depth) : objects & ~(1 << depth)
        COUNTS[depth] = 0
      }
      depth += 1
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      if (depth > 0) depth -= 1
      keyNext = false
    } else if (byte === COLON) keyNext = false
  }
  return false
}

/**
 * Returns the position of the quote that ends the text beginning at `from`; the end of the body if
 * there is none.
 */
function endOfText(body: Uint8Array, from: number): number {
  let at = from
  while (at < body.length && body[at] !== QUOTE) at += body[at] === BACKSLASH ? 2 : 1
  return at
}

function repeated(body: Uint8Array, from: number, to: number, level: number): boolean {
  const keys = KEYS[level] as Int32Array
  const count = COUNTS[level] as number
  if (count === KEYS_MAX) return true
  let hash = 0
  for (let at = from; at < to; at++) {
    const byte = body[at] as number
    if (byte === BACKSLASH) return true
    hash = (Math.imul(hash, 31) + byte) | 0
  }
  for (let index = 0; index < 3 * count; index += 3) {
    const other = keys[index] as number
    const alike = keys[index + 2] === hash && (keys[index + 1] as number) - other === to - from
    if (alike && sameText(body, other, from, to)) return true
  }
  keys[3 * count] = from
  keys[3 * count + 1] = to
  keys[3 * count + 2] = hash
  COUNTS[level] = count + 1
  return false
}

function sameText(body: Uint8Array, other: number, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (body[at] !== body[other + at - from]) return false
  return true
}
