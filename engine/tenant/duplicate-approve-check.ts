// Finds every value of `approve` in a tenant's reply. JSON.parse keeps only the last of repeated
// keys, and a reply that says both yes and no must not become a yes.

export type ApproveValue = 'true' | 'false' | 'other'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const LETTER_T = 0x74
const LETTER_F = 0x66

/**
 * Returns every value of a top-level key `approve`, in order; the key may be spelled with escapes
 * (`"\u0061pprove"`). The text must already have passed JSON.parse as an object: the scan relies on
 * well-formed text.
 */
export function approveValues(text: string): ApproveValue[] {
  const values: ApproveValue[] = []
  let depth = 0
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      const end = stringEnd(text, at)
      const colon = depth === 1 ? afterSpace(text, end) : -1
      if (colon !== -1 && text.charCodeAt(colon) === COLON && isApprove(text.slice(at, end))) {
        values.push(valueAt(text, afterSpace(text, colon + 1)))
      }
      at = end
      continue
    }
    if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth += 1
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) depth -= 1
    at += 1
  }
  return values
}

/** Returns the index after the closing quote of the string that begins at `start`. */
function stringEnd(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== QUOTE) {
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  }
  return at + 1
}

function afterSpace(text: string, start: number): number {
  let at = start
  // JSON knows four white space characters, all of them at or below the space.
  while (at < text.length && text.charCodeAt(at) <= 0x20) at += 1
  return at
}

function isApprove(literal: string): boolean {
  return literal.includes('\\') ? JSON.parse(literal) === 'approve' : literal === '"approve"'
}

function valueAt(text: string, at: number): ApproveValue {
  const code = text.charCodeAt(at)
  if (code === LETTER_T) return 'true'
  return code === LETTER_F ? 'false' : 'other'
}
