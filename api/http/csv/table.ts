// A list as a table of text (RFC 4180): one column for each field of the item, `address.city` for
// the fields of an object in it, and JSON for whatever is deeper.
import type { TSchema } from 'typebox'
import { csvCell } from '../../../shared/csv-cell.ts'

export interface Column {
  name: string
  path: readonly string[]
}

interface ListShape {
  shape: TSchema | null
  answer: TSchema | null
}

interface Profile {
  type?: string
  properties?: { readonly [name: string]: Profile }
  items?: Profile
  anyOf?: readonly Profile[]
  allOf?: readonly Profile[]
}

/** The schema of an item; null where the answer is no list. */
export function itemOf({ shape, answer }: ListShape): Profile | null {
  const { properties } = (shape ?? answer ?? {}) as Profile
  const items = properties?.['data']?.items
  return properties !== undefined && 'next_cursor' in properties ? (items ?? null) : null
}

/** The columns of a list, in the order of the schema. */
export function columnsOf(item: Profile): Column[] {
  return fieldsOf(item).flatMap(([name, field]) => {
    const inner = fieldsOf(field)
    if (inner.length === 0) return [{ name, path: [name] }]
    return inner.map(([below]) => ({ name: name + '.' + below, path: [name, below] }))
  })
}

/** Fields of an object, of "an object or null", or of every side of a choice, each once. */
function fieldsOf(schema: Profile): [string, Profile][] {
  if (schema.properties !== undefined) return Object.entries(schema.properties)
  const sides = schema.anyOf ?? schema.allOf ?? []
  return [...new Map(sides.flatMap(fieldsOf))]
}

/** The first line. */
export function headerLine(columns: readonly Column[]): string {
  return columns.map(({ name }) => cellOf(name)).join(',') + '\r\n'
}

/** One item as a line. */
export function lineOf(columns: readonly Column[], item: unknown): string {
  return columns.map(({ path }) => cellOf(valueAt(item, path))).join(',') + '\r\n'
}

function valueAt(item: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? (value as { [field: string]: unknown })[name]
        : null,
    item,
  )
}

/**
 * A value as a cell. A text that a spreadsheet would run as a formula gets an apostrophe in front;
 * numbers stay as they are. Null and absent are empty.
 */
export function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return csvCell(typeof value === 'string' ? value : JSON.stringify(value))
}
