// A list as a file for a spreadsheet. RFC 4180.

import { withoutFormula } from '../../shared/csv-formula.ts'

/** A number stays a number. */
function cellOf(text: string): string {
  const safe = /^-?\d+(\.\d+)?$/.test(text) ? text : withoutFormula(text)
  return '"' + safe.replaceAll('"', '""') + '"'
}

/** One line of the file, with its end. */
export function csvLine(cells: readonly string[]): string {
  return cells.map(cellOf).join(',') + '\r\n'
}
