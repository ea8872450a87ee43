// A table of rows. Below 600 px each row becomes a block with the names of its columns.
import { Html, html, url } from '../../../shared/html.ts'

export interface Column<Row> {
  label: string
  cell(row: Row): Html | string | number | null
  /** Figures stand at the right. */
  isNumber?: boolean
  /** Buttons; a file has no such column. */
  isActions?: true
}

type Cell = Html | string | number

/**
 * Rows under their columns; the first cell of a row leads to its page. The heading of a column of
 * moments names their zone.
 */
export function table<Row>(of: {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  href?: (row: Row) => string | null
}): Html {
  const { columns, rows, href } = of
  const cells = rows.map((row) => columns.map(({ cell }) => cell(row) ?? ''))
  const zoneOf = (at: number): Html | null =>
    cells.some((row) => hasMoment(row[at])) ? ZONE : null
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${of.label}"><table><thead><tr>${columns.map(
    ({ label, isNumber }, at) =>
      html`<th scope="col" class="${isNumber === true ? 'num' : ''}">${label}${zoneOf(at)}</th>`,
  )}</tr></thead><tbody>${rows.map((row, at) => rowOf(columns, cells[at] ?? [], href?.(row) ?? null))}</tbody></table></div>`
}

/** Hidden where the reader chose local time. */
const ZONE = html`<span class="zone">, UTC</span>`

function hasMoment(cell: Cell | undefined): boolean {
  return cell instanceof Html && cell.text.includes('<time ')
}

function rowOf<Row>(
  columns: readonly Column<Row>[],
  cells: readonly Cell[],
  href: string | null,
): Html {
  return html`<tr>${columns.map(({ label, isNumber }, at) => {
    const shown = cells[at] ?? ''
    const content = shown === '' ? '–' : shown
    const led =
      at === 0 && href !== null ? html`<a class="row" href="${url(href)}">${content}</a>` : content
    return html`<td data-label="${label}" class="${isNumber === true ? 'num' : ''}">${led}</td>`
  })}</tr>`
}
