// A chart as SVG from the server: bars of one or more series over time, with a sentence for readers
// of screens, and the same figures as a table. The axes are text beside the drawing: they have one
// size at every width.
import { type Html, html } from '../../../shared/html.ts'
import { table } from './table.ts'

/** Units of the drawing; it is stretched to its place. */
const HEIGHT = 100
const STEP = 10
const MARKS = 4

export interface Bar {
  /** Text under the axis, and in the table. */
  label: string
  /** One value per series; null where there is no value: nothing is drawn for it. */
  values: readonly (number | null)[]
}

export interface Chart {
  /** Names of the series, in the order of their values; series are stacked. */
  series: readonly string[]
  /** Colours of the series, 1 to 6; by default in their order. */
  colors?: readonly number[]
  bars: readonly Bar[]
  /** Words above the drawing, where the page has several. */
  title?: string
  /** A sentence about the content of the chart. */
  summary: string
  /** A value in words, for the table and the axis. */
  text(value: number): string
  /** Name of the column of labels. */
  unit: string
}

/** The chart with its table, which opens under it. */
export function chart(of: Chart): Html {
  const { series, bars, summary, text, unit } = of
  const colors = of.colors ?? series.map((_name, at) => at + 1)
  const most = roundMost(Math.max(0, ...bars.map(sumOf)))
  const height = (value: number): number => (value / most) * HEIGHT
  const marks = new Set([text(most), ...(most >= 2 ? [text(most / 2)] : []), text(0)])
  const every = Math.max(1, Math.ceil(bars.length / MARKS))
  return html`<figure class="charted">${of.title === undefined ? null : html`<p class="soft">${of.title}</p>`}<div class="plot"><p class="axis-y" aria-hidden="true">${[...marks].map((mark) => html`<span>${mark}</span>`)}</p>
<svg class="chart" viewBox="0 0 ${bars.length * STEP} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${summary}">
${[0, 0.5, 1].map((part) => html`<line class="grid-line" x1="0" x2="${bars.length * STEP}" y1="${part * HEIGHT}" y2="${part * HEIGHT}"/>`)}
${bars.map((bar, at) => stack(bar, { x: at * STEP, height, title: titleOf(bar, of), colors }))}</svg>
<p class="axis-x" aria-hidden="true">${bars.map(({ label }, at) => html`<span>${at % every === 0 ? label : null}</span>`)}</p></div>${legend(series, colors)}
<details class="table-of"><summary>Table</summary>${table({
    label: summary,
    rows: bars,
    columns: [
      { label: unit, cell: ({ label }) => label },
      ...series.map((name, at) => ({
        label: name,
        isNumber: true,
        cell: ({ values }: Bar) => {
          const value = values[at] ?? null
          return value === null ? '–' : text(value)
        },
      })),
    ],
  })}</details></figure>`
}

/** Words of one bar, which a pointer shows. */
function titleOf({ label, values }: Bar, { series, text }: Chart): string {
  const known = series.flatMap((name, at) => {
    const value = values[at] ?? null
    return value === null ? [] : [text(value) + ' ' + name]
  })
  return label + ': ' + (known.length === 0 ? 'none' : known.join(', '))
}

function stack(
  { values }: Bar,
  place: { x: number; height(value: number): number; title: string; colors: readonly number[] },
): Html {
  const { x, height, title, colors } = place
  let below = 0
  return html`<g><title>${title}</title><rect class="hit" x="${x}" y="0" width="${STEP}" height="${HEIGHT}"/>${values.map(
    (value, series) => {
      if (value === null || value === 0) return null
      const tall = Math.max(height(value), 1)
      below += tall
      return html`<rect class="series-${colors[series] ?? 6}" x="${x + 1}" y="${rounded(HEIGHT - below)}" width="${STEP - 2}" height="${rounded(tall)}"/>`
    },
  )}</g>`
}

function legend(series: readonly string[], colors: readonly number[]): Html | null {
  if (series.length < 2) return null
  return html`<figcaption class="legend">${series.map(
    (name, at) =>
      html`<span><svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true"><rect class="series-${colors[at] ?? 6}" width="10" height="10" rx="2"/></svg> ${name}</span>`,
  )}</figcaption>`
}

function sumOf({ values }: Bar): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0)
}

/** The next number of 1, 2 or 5 times a power of ten; at least 1. */
function roundMost(value: number): number {
  if (value <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 5, 10].map((factor) => factor * power).find((most) => most >= value) ?? value
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}
