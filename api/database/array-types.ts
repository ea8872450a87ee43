// Arrays of our column types, declared by hand. The driver's own way (fetch_types) queries every
// new connection for them in a promise without a handler: a connection that closes meanwhile ends
// the process.
import type postgres from 'postgres'
import { assert } from '../../shared/assert.ts'

type Element = string | number | bigint | boolean | Uint8Array | null

const ESCAPED = /["\\]/

/** For one dimension; undefined elements are refused as the driver refuses undefined values. */
export function arrayText(elements: readonly Element[]): string {
  const texts = new Array<string>(elements.length)
  // A column of many rows repeats the same value often.
  let before: Element | undefined
  let text = ''
  for (let at = 0; at < elements.length; at++) {
    const element = elements[at] as Element
    if (at === 0 || element !== before) text = elementText(element)
    texts[at] = text
    before = element
  }
  return '{' + texts.join(',') + '}'
}

function elementText(element: Element): string {
  if (element === null) return 'NULL'
  if (typeof element === 'number') return String(element)
  assert(element !== undefined && !Array.isArray(element), 'an array has an element of no type')
  const text =
    element instanceof Uint8Array ? '\\x' + Buffer.from(element).toString('hex') : String(element)
  return '"' + (ESCAPED.test(text) ? text.replaceAll(/["\\]/g, '\\$&') : text) + '"'
}

/** Returns the elements of an array of one dimension as PostgreSQL prints it. */
export function arrayElements<Value>(
  text: string,
  parse: (element: string) => Value,
): (Value | null)[] {
  assert(text.startsWith('{') && !text.startsWith('{{'), 'an array of one dimension is expected')
  const elements: (Value | null)[] = []
  let at = 1
  while (at < text.length - 1) {
    if (text[at] === '"') {
      const { element, end } = quotedElement(text, at)
      elements.push(parse(element))
      at = end + 1
    } else {
      const comma = text.indexOf(',', at)
      const end = comma === -1 ? text.length - 1 : comma
      const element = text.slice(at, end)
      elements.push(element === 'NULL' ? null : parse(element))
      at = end + 1
    }
  }
  return elements
}

/**
 * Returns the element whose opening quote is at `at`, and the position of the comma or brace after
 * it.
 */
function quotedElement(text: string, at: number): { element: string; end: number } {
  let element = ''
  let next = at + 1
  for (; text[next] !== '"'; next++) {
    if (text[next] === '\\') next += 1
    element += text[next]
  }
  return { element, end: next + 1 }
}

function arrayOf<Value>(
  typeId: number,
  parse: (element: string) => Value,
): postgres.PostgresType<(Value | null)[]> {
  return {
    to: typeId,
    from: [typeId],
    // A caller that writes '{}' itself is left alone.
    serialize: (value: unknown) => (Array.isArray(value) ? arrayText(value) : value),
    parse: (text: string) => arrayElements(text, parse),
  }
}

/**
 * Arrays by their ids in pg_type. An array of another type fails in the server, which cannot read
 * it.
 */
export function arrayTypes(safeInteger: (text: string) => number) {
  return {
    booleans: arrayOf(1000, (text) => text === 't'),
    byteas: arrayOf(1001, (text) => Buffer.from(text.slice(2), 'hex')),
    smallints: arrayOf(1005, Number),
    integers: arrayOf(1007, Number),
    texts: arrayOf(1009, String),
    bigints: arrayOf(1016, safeInteger),
    uuids: arrayOf(2951, String),
  }
}
