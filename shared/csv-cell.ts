// A text as a cell of a table of text (RFC 4180), harmless in a spreadsheet.

/** Characters with which a spreadsheet begins a formula, as itself or in full width. */
const FORMULA = /^[\t\r\n ]*[=+\-@\uff0b\uff0d\uff1d\uff20]|^[\t\r]/
const QUOTED = /[",\r\n]/

/**
 * The text as a cell. A text that a spreadsheet would run as a formula gets an apostrophe in front;
 * quotes stand around a text that needs them.
 */
export function csvCell(text: string): string {
  const harmless = FORMULA.test(text) ? "'" + text : text
  return QUOTED.test(harmless) ? '"' + harmless.replaceAll('"', '""') + '"' : harmless
}
