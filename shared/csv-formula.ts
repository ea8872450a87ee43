// Texts that a spreadsheet would run.

/** Characters with which a spreadsheet begins a formula, as itself or in full width. */
const FORMULA = /^[\t\r\n ]*[=+\-@\uff0b\uff0d\uff1d\uff20]|^[\t\r]/

/** A text that a spreadsheet would run as a formula gets an apostrophe in front. */
export function withoutFormula(text: string): string {
  return FORMULA.test(text) ? "'" + text : text
}
