// Shares over time as SVG from the server: a line for now, and a dashed one of the time before it.
// An hour without a value is a gap, never a point that nobody measured.
import { type Html, html } from '../../../shared/html.ts'
import { percent } from './figure.ts'
import { HEIGHT, hit, legendOf, plot, rounded, STEP } from './plot.ts'

/** The axis begins at a multiple of it, in hundredths. */
const FLOOR_STEP = 10

export interface Point {
  /** Text under the axis, and in the table. */
  label: string
  /** Shares of 0 to 1; null where nothing was measured. */
  now: number | null
  before: number | null
}

export interface Lines {
  points: readonly Point[]
  title: string
  /** A sentence about the content of the drawing. */
  summary: string
  /** Names of the two lines. */
  names: { now: string; before: string }
  /** Name of the column of labels. */
  unit: string
}

/** Two lines with their table, which opens under them. */
export function lines({ points, title, summary, names, unit }: Lines): Html {
  const known = points.flatMap(({ now, before }) => [now, before]).filter((one) => one !== null)
  const least = Math.min(1, ...known) * 100
  // A line on the axis would hardly be seen.
  const below = Math.ceil(least / FLOOR_STEP) * FLOOR_STEP - FLOOR_STEP
  const floor = Math.min(90, Math.max(0, below))
  const y = (share: number): number =>
    rounded(HEIGHT - ((share * 100 - floor) / (100 - floor)) * HEIGHT)
  const marks = [100, (100 + floor) / 2, floor].map((mark) => percent(mark / 100))
  return plot(
    {
      ...{ title, summary, marks, rows: points },
      columns: [
        { label: unit, cell: ({ label }) => label },
        { label: names.now, isNumber: true, cell: ({ now }) => percent(now) },
        { label: names.before, isNumber: true, cell: ({ before }) => percent(before) },
      ],
      legend: legendOf([names.now, names.before], (at) =>
        at === 0
          ? html`<path class="line" d="M0 5H10"/>`
          : html`<path class="line before" d="M0 5H10"/>`,
      ),
    },
    html`${points.map(
      (point, at) =>
        html`<g>${hit(at, point.label + ': ' + percent(point.now) + ', ' + names.before + ' ' + percent(point.before))}</g>`,
    )}<path class="line before" d="${pathOf(
      points.map(({ before }) => before),
      y,
    )}"/><path class="line" d="${pathOf(
      points.map(({ now }) => now),
      y,
    )}"/>`,
  )
}

/** Lines through the middles of neighbours; a value alone is a dash as wide as its step. */
function pathOf(shares: readonly (number | null)[], y: (share: number) => number): string {
  return shares
    .flatMap((share, at) => {
      if (share === null) return []
      const [x, isBegin] = [at * STEP + STEP / 2, (shares[at - 1] ?? null) === null]
      if (!isBegin) return ['L' + x + ' ' + y(share)]
      const isAlone = (shares[at + 1] ?? null) === null
      return isAlone
        ? ['M' + at * STEP + ' ' + y(share) + 'H' + (at + 1) * STEP]
        : ['M' + x + ' ' + y(share)]
    })
    .join('')
}
