// BER-TLV, the form of chip data in field 55: only whether it is well-formed. Nothing in it is
// believed, because the cryptogram that would vouch for it is checked by the card's network.

/** Chosen: templates inside templates inside a template; chips nest twice. */
const DEPTH_MAX = 4
const TAG_BYTES_MAX = 3

/**
 * Whether the bytes are elements all through: every length fits its surroundings, none is
 * indefinite, none too deep.
 */
export function berWellFormed(bytes: Buffer): boolean {
  return elementsFill({ bytes, end: bytes.length }, 0, 0)
}

interface Span {
  bytes: Buffer
  end: number
}

function elementsFill(span: Span, from: number, depth: number): boolean {
  if (depth > DEPTH_MAX) return false
  let at = from
  while (at < span.end) {
    const constructed = ((span.bytes[at] ?? 0) & 0x20) !== 0
    const lengthAt = tagEnd(span, at)
    const value = lengthAt === -1 ? null : valueSpan(span, lengthAt)
    if (value === null) return false
    if (constructed && !elementsFill(value.span, value.from, depth + 1)) return false
    at = value.span.end
  }
  return true
}

/**
 * Returns the end of the tag at `at`, or -1. A tag of 00 is padding, which is not supported here.
 */
function tagEnd(span: Span, at: number): number {
  const first = span.bytes[at] ?? 0
  if (first === 0) return -1
  if ((first & 0x1f) !== 0x1f) return at + 1
  for (let next = at + 1; next < Math.min(span.end, at + TAG_BYTES_MAX); next++) {
    if (((span.bytes[next] ?? 0) & 0x80) === 0) return next + 1
  }
  return -1
}

/** Returns the value whose length stands at `at`, or null if it would reach beyond the end. */
function valueSpan(span: Span, at: number): { span: Span; from: number } | null {
  if (at >= span.end) return null
  const first = span.bytes[at] ?? 0
  const longBytes = first < 0x80 ? 0 : first & 0x7f
  if (first === 0x80 || longBytes > 2 || at + 1 + longBytes > span.end) return null
  const length = longBytes === 0 ? first : span.bytes.readUIntBE(at + 1, longBytes)
  const from = at + 1 + longBytes
  return from + length > span.end ? null : { span: { bytes: span.bytes, end: from + length }, from }
}
