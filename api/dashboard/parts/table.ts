// A table of rows. Below 600 px each row becomes a block with the names of its columns.
import { type Html, html, url } from '../../../shared/html.ts'

export interface Column<Row> {
  label: string
  cell(row: Row): Html | string | number | null
  /** Figures stand at the right. */
  isNumber?: boolean
  /** Buttons; a file has no such column. */
  isActions?: true
}

/** Rows under their columns; the first cell of a row leads to its page. */
export function table<Row>(of: {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  href?: (row: Row) => string | null
}): Html {
  const { columns, rows, href } = of
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${of.label}"><table><thead><tr>${columns.map(
    ({ label, isNumber }) =>
      html`<th scope="col" class="${isNumber === true ? 'num' : ''}">${label}</th>`,
  )}</tr></thead><tbody>${rows.map((row) => rowOf(columns, row, href?.(row) ?? null))}</tbody></table></div>`
}

function rowOf<Row>(columns: readonly Column<Row>[], row: Row, href: string | null): Html {
  return html`<tr>${columns.map(({ label, cell, isNumber }, at) => {
    const shown = cell(row) ?? ''
    const content = shown === '' ? '–' : shown
    const led =
      at === 0 && href !== null ? html`<a class="row" href="${url(href)}">${content}</a>` : content
    return html`<td data-label="${label}" class="${isNumber === true ? 'num' : ''}">${led}</td>`
  })}</tr>`
}
