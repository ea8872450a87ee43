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

/** An empty record for each table of fields: a copy of it has every place already, which is faster than adding them one by one. */
const blanks = new WeakMap<readonly PropertyKey[], object>()

/** A record of a row. A field that the row is too short for is as `rest` has it; fields that nobody here knows are left behind. */
export function recordOf<Record extends object>(
  fields: readonly (keyof Record)[],
  row: Row,
  rest: Partial<Record>,
): Record {
  const record = { ...blankOf(fields), ...rest } as Partial<Record>
  for (let index = 0; index < fields.length; index++) {
    const field = fields[index] as keyof Record
    if (index < row.length || !(field in rest)) record[field] = row[index] as Record[keyof Record]
  }
  return record as Record
}

function blankOf(fields: readonly PropertyKey[]): object {
  const known = blanks.get(fields)
  if (known !== undefined) return known
  const blank = Object.fromEntries(fields.map((field) => [field, undefined]))
  blanks.set(fields, blank)
  return blank
}
