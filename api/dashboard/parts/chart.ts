// A chart as SVG from the server: bars of one or two series over time, with a sentence for people
// who do not see it, and the same figures as a table.
import { type Html, html } from '../../../shared/html.ts'
import { table } from './table.ts'

const WIDTH = 720
const HEIGHT = 160
/** Room for the figures of the axis. */
const LEFT = 44
const BOTTOM = 20
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
  bars: readonly Bar[]
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
  const most = roundMost(Math.max(0, ...bars.map(sumOf)))
  const plotWidth = WIDTH - LEFT
  const plotHeight = HEIGHT - BOTTOM
  const step = plotWidth / Math.max(1, bars.length)
  const marks = [0, 1, 2].map((part) => (most * part) / 2)
  const height = (value: number): number => (most === 0 ? 0 : (value / most) * (plotHeight - 8))
  const labelled = new Set(marksOf(bars.length))
  return html`<figure class="charted"><svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${summary}">
${marks.map((mark) => {
  const y = rounded(plotHeight - height(mark))
  return html`<line class="grid-line" x1="${LEFT}" x2="${WIDTH}" y1="${y}" y2="${y}"/><text x="${LEFT - 6}" y="${y + 4}" text-anchor="end">${text(mark)}</text>`
})}
${bars.map((bar, at) => stack(bar, { x: LEFT + at * step, width: step, plotHeight, height }))}
${bars.map(({ label }, at) =>
  labelled.has(at)
    ? html`<text x="${rounded(LEFT + (at + 0.5) * step)}" y="${HEIGHT - 4}" text-anchor="middle">${label}</text>`
    : null,
)}</svg>${legend(series)}
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

function stack(
  { values, label }: Bar,
  place: { x: number; width: number; plotHeight: number; height: (value: number) => number },
): Html {
  const { x, width, plotHeight, height } = place
  let below = 0
  return html`<g><title>${label}</title>${values.map((value, series) => {
    if (value === null || value === 0) return null
    const tall = height(value)
    below += tall
    return html`<rect class="series-${series + 1}" x="${rounded(x + width * 0.1)}" y="${rounded(plotHeight - below)}" width="${rounded(width * 0.8)}" height="${rounded(Math.max(tall, 1))}"/>`
  })}</g>`
}

function legend(series: readonly string[]): Html | null {
  if (series.length < 2) return null
  return html`<figcaption class="legend">${series.map(
    (name, at) =>
      html`<span><svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true"><rect class="series-${at + 1}" width="10" height="10" rx="2"/></svg> ${name}</span>`,
  )}</figcaption>`
}

function sumOf({ values }: Bar): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0)
}

/** Places of the labels: a few, at equal distances. */
function marksOf(count: number): number[] {
  const every = Math.max(1, Math.ceil(count / MARKS))
  return Array.from({ length: count }, (_, at) => at).filter((at) => at % every === 0)
}

/** The next number of 1, 2 or 5 times a power of ten. */
function roundMost(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 5, 10].map((factor) => factor * power).find((most) => most >= value) ?? value
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}
