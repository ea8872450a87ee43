// Records as rows of values: the order of the fields is the format.

/** Values in the order of a table of fields. */
export type Row = readonly unknown[]

/** The values of a record in the order of its fields. */
export function rowOf<Record extends object>(
  fields: readonly (keyof Record)[],
  record: Record,
): Row {
  const row = new Array<unknown>(fields.length)
  for (let index = 0; index < fields.length; index++)
    row[index] = record[fields[index] as keyof Record]
  return row
}

/**
 * Returns the record of a row. Fields beyond a short row come from `rest`; unknown fields are
 * dropped.
 */
export function recordOf<Record extends object>(
  fields: readonly (keyof Record)[],
  row: Row,
  rest: Partial<Record>,
): Record {
  const record = readerOf(fields)(row) as Partial<Record>
  for (const field in rest) if (record[field] === undefined) record[field] = rest[field]
  return record as Record
}

type Reader = (row: Row) => object

const readers = new WeakMap<readonly PropertyKey[], Reader>()

function readerOf(fields: readonly PropertyKey[]): Reader {
  let reader = readers.get(fields)
  if (reader === undefined) {
    reader = newReader(fields)
    readers.set(fields, reader)
  }
  return reader
}

/**
 * Code is generated for the fields, which are names of ours and never come from outside. A record
 * that is made with all its fields at once costs a third of one whose fields are set by name.
 */
function newReader(fields: readonly PropertyKey[]): Reader {
  const places = fields.map((field, at) => JSON.stringify(field) + ': row[' + at + ']')
  return new Function('row', 'return {' + places.join(', ') + '}') as Reader
}
