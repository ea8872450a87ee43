// Finds card numbers in text. One look at every twelfth character passes over text without long
// runs of digits.
import { beginsKnownPan, isKnownPan, KNOWN_DIGITS_MAX, KNOWN_DIGITS_MIN } from './pan.ts'

/** Places in a text: the first character, and the one behind the last. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** A run has at least 13 characters, and of two neighbours one is a digit. */
const STRIDE = KNOWN_DIGITS_MIN - 1
/**
 * Characters that people and word processors write between groups of digits: spaces and hyphens,
 * non-breaking and narrow ones too.
 */
const GROUPS = ' -\u00a0\u2007\u2009\u202f\u2010\u2011\u2012\u2013'
const HEX_DIGITS_MIN = 24
const GTIN_DIGITS = 13
const E164_DIGITS_MAX = 15

/**
 * The next maximal run of at least 13 digits and separators at or behind `from`, with at most one
 * separator between two digits; null where there is none.
 */
export function nextDigitRun(text: string, from: number, separators: string): Span | null {
  for (let probe = from; probe < text.length; probe += STRIDE) {
    let inside = probe
    if (!isDigitAt(text, inside)) inside += 1
    if (!isDigitAt(text, inside)) continue
    const run = runAround(text, inside, { from, separators })
    if (run.to - run.from >= KNOWN_DIGITS_MIN) return run
    probe = Math.max(probe, run.to - STRIDE)
  }
  return null
}

function runAround(
  text: string,
  inside: number,
  { from: least, separators }: { from: number; separators: string },
): Span {
  let from = inside
  for (;;) {
    const step = isDigitAt(text, from - 1) ? 1 : isDigitAt(text, from - 2) ? 2 : 0
    if (step === 0 || from - step < least) break
    if (step === 2 && !separators.includes(text[from - 1] ?? 'x')) break
    from -= step
  }
  let to = inside + 1
  for (;;) {
    const step = isDigitAt(text, to) ? 1 : isDigitAt(text, to + 1) ? 2 : 0
    if (step === 0 || (step === 2 && !separators.includes(text[to] ?? 'x'))) break
    to += step
  }
  return { from, to }
}

function isDigitAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 48 && code <= 57
}

/**
 * The first place at or behind `from` that passes as a card number: digits in one piece or in
 * groups with single spaces or hyphens, of a known range and length, with the right Luhn digit.
 * Null where there is none.
 *
 * Chosen: these pass although their digits would do: the number of a telephone behind a plus, an
 * EAN-13 with its check digit, digits behind a decimal point, and digits within a hexadecimal word
 * of 24 characters or more (a UUID, a digest).
 */
export function findPan(text: string): Span | null {
  for (let run = nextDigitRun(text, 0, GROUPS); run !== null; ) {
    const found = panWithin(text, run)
    if (found !== null) return found
    run = nextDigitRun(text, run.to, GROUPS)
  }
  return null
}

function panWithin(text: string, run: Span): Span | null {
  for (let from = run.from; from < run.to; from++) {
    if (!isDigitAt(text, from) || (from > run.from && isDigitAt(text, from - 1))) continue
    const span = panFrom(text, from, run.to)
    if (span !== null) return span
  }
  return null
}

/** The card number that the group at `from` begins and another group, or the same one, ends. */
function panFrom(text: string, from: number, end: number): Span | null {
  let digits = ''
  for (let at = from; at < end; at++) {
    if (isDigitAt(text, at)) digits += text[at]
    if (digits.length > KNOWN_DIGITS_MAX) return null
    if (digits.length < KNOWN_DIGITS_MIN || isDigitAt(text, at + 1)) continue
    if (!beginsKnownPan(digits)) return null
    const span = { from, to: at + 1 }
    if (isKnownPan(digits) && !isOrdinary(text, span, digits)) return span
  }
  return null
}

function isOrdinary(text: string, { from, to }: Span, digits: string): boolean {
  const before = text[from - 1]
  if (before === '+' && digits.length <= E164_DIGITS_MAX) return true
  if (before === '.' && isDigitAt(text, from - 2)) return true
  if (digits.length === GTIN_DIGITS && isGtin(digits)) return true
  const head = /[0-9A-Fa-f-]*$/.exec(text.slice(Math.max(0, from - 64), from))?.[0] ?? ''
  const tail = /^[0-9A-Fa-f-]*/.exec(text.slice(to, to + 64))?.[0] ?? ''
  const letters = /[A-Fa-f]/.test(head + tail)
  return letters && (head + digits + tail).replaceAll('-', '').length >= HEX_DIGITS_MIN
}

/** Weights 1 and 3 by turns. */
function isGtin(digits: string): boolean {
  let sum = 0
  for (let index = 0; index < digits.length; index++)
    sum += Number(digits[index]) * (index % 2 === 0 ? 1 : 3)
  return sum % 10 === 0
}

/** The text with `[pan]` in the place of every card number that `findPan` finds. */
export function cutPans(text: string): string {
  let rest = text
  let cut = ''
  for (let found = findPan(rest); found !== null; found = findPan(rest)) {
    cut += rest.slice(0, found.from) + '[pan]'
    rest = rest.slice(found.to)
  }
  return cut + rest
}
