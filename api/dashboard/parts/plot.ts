// The frame of a drawing from the server: words above it, axes as text beside it, the names of its
// series, and its figures as a table, which opens under it. Axes of text have one size at every
// width.
import { type Html, html } from '../../../shared/html.ts'
import { type Column, table } from './table.ts'

/** Units of a drawing; it is stretched to its place. */
export const HEIGHT = 100
export const STEP = 10
/** Labels under the drawing; all of them where there are few. */
const MARKS = 4
const FEW = 6

export interface Framing<Row extends { label: string }> {
  title?: string
  /** A sentence about the content of the drawing. */
  summary: string
  /** Texts of the axis at the left, from the top. */
  marks: readonly string[]
  /** One row for each step of the drawing. */
  rows: readonly Row[]
  /** Columns of the table. */
  columns: readonly Column<Row>[]
  legend: Html | null
}

/** A drawing inside its frame. */
export function plot<Row extends { label: string }>(of: Framing<Row>, drawing: Html): Html {
  const { title, summary, marks, rows, columns, legend } = of
  const isFew = rows.length <= FEW
  // The step of a few is no wider than that of as many as fit with every label.
  const steps = Math.max(rows.length, FEW)
  const width = steps * STEP
  const every = isFew ? 1 : Math.ceil(rows.length / MARKS)
  return html`<figure class="charted">${title === undefined ? null : html`<p class="soft">${title}</p>`}<div class="plot"><p class="axis-y" aria-hidden="true">${marks.map((mark) => html`<span>${mark}</span>`)}</p>
<svg class="chart" viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${summary}">
${[0, 0.5, 1].map((part) => html`<line class="grid-line" x1="0" x2="${width}" y1="${part * HEIGHT}" y2="${part * HEIGHT}"/>`)}
${drawing}</svg>
<p class="axis-x ${isFew ? 'few' : ''}" aria-hidden="true">${Array.from({ length: steps }, (_unused, at) => html`<span>${at % every === 0 ? (rows[at]?.label ?? null) : null}</span>`)}</p></div>${legend}<p class="unit" aria-hidden="true">${columns[0]?.label ?? ''}</p>
<details class="table-of"><summary>Table</summary>${table({ label: summary, rows, columns })}</details></figure>`
}

/** The part of a step that a pointer meets, with its words. */
export function hit(at: number, title: string): Html {
  return html`<title>${title}</title><rect class="hit" x="${at * STEP}" y="0" width="${STEP}" height="${HEIGHT}"/>`
}

/** Names of series beside their colours; `mark` draws in a square of ten units. */
export function legendOf(names: readonly string[], mark: (at: number) => Html): Html {
  return html`<figcaption class="legend">${names.map(
    (name, at) =>
      html`<span><svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">${mark(at)}</svg> ${name}</span>`,
  )}</figcaption>`
}

/** A length of a drawing with one decimal. */
export function rounded(value: number): number {
  return Math.round(value * 10) / 10
}
