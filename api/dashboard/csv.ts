// A list as a file for a spreadsheet. RFC 4180.

/** Chosen: rows of one file at most; a longer list is read by the API. */
export const CSV_ROWS_MAX = 10_000

/** A cell that a spreadsheet would run as a formula begins with an apostrophe, as text. */
function cellOf(text: string): string {
  const safe = /^[=+@\-\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? "'" + text : text
  return '"' + safe.replaceAll('"', '""') + '"'
}

/** One line of the file, with its end. */
export function csvLine(cells: readonly string[]): string {
  return cells.map(cellOf).join(',') + '\r\n'
}
