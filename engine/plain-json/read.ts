// Reads the common form of JSON in one pass over its bytes: known keys, each once and without
// escapes, plain ASCII, whole numbers within their bounds. Any other text is not judged here: a
// reader that takes all JSON handles it and names the error.
import { type Field, type Form, NUMBER, TEXT, TRUTH, type Values, WORD } from './form.ts'
import type { Word } from './words.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN = 0x7b
const CLOSE = 0x7d
const SPACE = 0x20
const TAB = 0x09
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const ZERO = 0x30
const QUOTES = 2
/** A number with this many digits is exact, even if all are nines. */
const DIGITS_MAX = 15
const TRUE = Buffer.from('true')
const FALSE = Buffer.from('false')
/** Instead of a position: this reader does not accept the text. */
const NONE = -1

/** Returns the object of this form that fills `body`, or null if it is not in the common form. */
export function readPlain(form: Form, body: Buffer): unknown {
  const values = new Array<unknown>(form.size)
  const end = readObject(body, skipSpace(body, 0), form, values)
  if (end === NONE || skipSpace(body, end) !== body.length) return null
  return form.build(values as unknown as Values)
}

/** Returns the position after the object and fills in its values. */
function readObject(body: Buffer, from: number, form: Form, values: unknown[]): number {
  if (body[from] !== OPEN) return NONE
  const { fields, lastKeys } = form
  let seen = 0
  let keys = 0
  let at = from
  do {
    const keyAt = skipSpace(body, at + 1) + 1
    if (keys === lastKeys.length || body[keyAt - 1] !== QUOTE) return NONE
    const word = fields.at(body, keyAt, lastKeys[keys] as Word<Field> | null)
    if (word === null || (seen & word.item.bit) !== 0) return NONE
    lastKeys[keys] = word
    keys += 1
    seen |= word.item.bit
    const colonAt = skipSpace(body, keyAt + word.bytes.length + 1)
    if (body[colonAt] !== COLON) return NONE
    const end = readValue(body, skipSpace(body, colonAt + 1), word.item, values)
    if (end === NONE) return NONE
    at = skipSpace(body, end)
  } while (body[at] === COMMA)
  return body[at] === CLOSE && (seen & form.required) === form.required ? at + 1 : NONE
}

/** Returns the position after the value and fills it in at its place. */
function readValue(body: Buffer, from: number, field: Field, values: unknown[]): number {
  switch (field.what) {
    case TEXT:
      return readText(body, from, field, values)
    case WORD:
      return readWord(body, from, field, values)
    case NUMBER:
      return readNumber(body, from, field, values)
    case TRUTH:
      return readTruth(body, from, field, values)
    default:
      return readInner(body, from, field, values)
  }
}

function readText(body: Buffer, from: number, field: Field, values: unknown[]): number {
  if (body[from] !== QUOTE) return NONE
  const { allowed, pattern } = field
  const textAt = from + 1
  let end = textAt
  while (end < body.length && allowed[body[end] as number] === 1) end += 1
  const length = end - textAt
  if (body[end] !== QUOTE || length < field.min || length > field.max) return NONE
  const text = textOf(body, textAt, length)
  if (pattern !== null && !pattern.test(text)) return NONE
  values[field.place] = text
  return end + 1
}

/** The method behind `toString`; the library’s types leave it out. */
interface Sliceable extends Buffer {
  latin1Slice(from: number, to: number): string
}

/** A text of two to four characters is made in a third of the minimum time of a longer one. */
function textOf(body: Buffer, from: number, length: number): string {
  const first = body[from] as number
  const second = body[from + 1] as number
  if (length === 2) return String.fromCharCode(first, second)
  const third = body[from + 2] as number
  if (length === 3) return String.fromCharCode(first, second, third)
  const fourth = body[from + 3] as number
  if (length === 4) return String.fromCharCode(first, second, third, fourth)
  return (body as Sliceable).latin1Slice(from, from + length)
}

function readWord(body: Buffer, from: number, field: Field, values: unknown[]): number {
  if (body[from] !== QUOTE) return NONE
  const word = field.words.at(body, from + 1, field.lastWord)
  if (word === null) return NONE
  field.lastWord = word
  values[field.place] = word.item
  return from + word.bytes.length + QUOTES
}

function readNumber(body: Buffer, from: number, field: Field, values: unknown[]): number {
  let number = 0
  let end = from
  for (; end < body.length; end++) {
    const digit = (body[end] as number) - ZERO
    if (digit < 0 || digit > 9) break
    number = number * 10 + digit
  }
  const digits = end - from
  // JSON allows a leading 0 only in the number 0.
  if (digits === 0 || digits > DIGITS_MAX || (digits > 1 && body[from] === ZERO)) return NONE
  if (number < field.min || number > field.max) return NONE
  values[field.place] = number
  return end
}

function readTruth(body: Buffer, from: number, field: Field, values: unknown[]): number {
  const truth = body[from] === TRUE[0]
  const word = truth ? TRUE : FALSE
  for (let at = 0; at < word.length; at++) if (body[from + at] !== word[at]) return NONE
  values[field.place] = truth
  return from + word.length
}

function readInner(body: Buffer, from: number, { place, form }: Field, values: unknown[]): number {
  if (form === null) return NONE
  const inner = new Array<unknown>(form.size)
  const end = readObject(body, from, form, inner)
  if (end !== NONE) values[place] = form.build(inner as unknown as Values)
  return end
}

function skipSpace(body: Buffer, from: number): number {
  let at = from
  while (at < body.length && isSpace(body[at] as number)) at += 1
  return at
}

function isSpace(byte: number): boolean {
  return (
    byte <= SPACE &&
    (byte === SPACE || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB)
  )
}
