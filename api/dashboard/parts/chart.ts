// A chart as SVG from the server: bars of one or more series over time, with a sentence for readers
// of screens, and the same figures as a table.
import { type Html, html } from '../../../shared/html.ts'
import { HEIGHT, hit, legendOf, plot, rounded, STEP } from './plot.ts'

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
  const { series, bars, summary, text, unit, title } = of
  const colors = of.colors ?? series.map((_name, at) => at + 1)
  const most = roundMost(Math.max(0, ...bars.map(sumOf)))
  const height = (value: number): number => (value / most) * HEIGHT
  const marks = new Set([text(most), ...(most >= 2 ? [text(most / 2)] : []), text(0)])
  const cellOf = (value: number | null): string => (value === null ? '–' : text(value))
  return plot(
    {
      ...(title === undefined ? {} : { title }),
      ...{ summary, marks: [...marks], rows: bars },
      columns: [
        { label: unit, cell: ({ label }) => label },
        ...series.map((name, at) => ({
          ...{ label: name, isNumber: true },
          cell: ({ values }: Bar) => cellOf(values[at] ?? null),
        })),
      ],
      legend:
        series.length < 2 && title !== undefined
          ? null
          : legendOf(
              series,
              (at) => html`<rect class="series-${colors[at] ?? 6}" width="10" height="10" rx="2"/>`,
            ),
    },
    html`${bars.map((bar, at) => stack(bar, { at, height, title: titleOf(bar, of), colors }))}`,
  )
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
  place: { at: number; height(value: number): number; title: string; colors: readonly number[] },
): Html {
  const { at, height, title, colors } = place
  let below = 0
  return html`<g>${hit(at, title)}${values.map((value, series) => {
    if (value === null || value === 0) return null
    const tall = Math.max(height(value), 1)
    below += tall
    return html`<rect class="series-${colors[series] ?? 6}" x="${at * STEP + 1}" y="${rounded(HEIGHT - below)}" width="${STEP - 2}" height="${rounded(tall)}"/>`
  })}</g>`
}

function sumOf({ values }: Bar): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0)
}

/** The next round number with a whole half; at least 1. */
function roundMost(value: number): number {
  if (value <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 4, 6, 8, 10].map((factor) => factor * power).find((most) => most >= value) ?? value
}
