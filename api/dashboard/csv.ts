// A list as a file for a spreadsheet. RFC 4180.

import { csvCell } from '../../shared/csv-cell.ts'

const NUMBER = /^-?\d+(\.\d+)?$/

/** One line of the file, with its end. A number stays a number, also a negative one. */
export function csvLine(cells: readonly string[]): string {
  return cells.map((text) => (NUMBER.test(text) ? text : csvCell(text))).join(',') + '\r\n'
}
