// Tables for the terminal: text left, numbers right, no colour, so that they also read well in a
// file.
import type { Percentiles } from './latency.ts'
import type { OutcomeRow } from './outcome.ts'

const GAP = '   '

/** Lines of a table; columns named in `numbers` (by place) are right-aligned. */
export function tableLines(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  numbers: ReadonlySet<number>,
): string[] {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  )
  const line = (cells: readonly string[]): string =>
    widths
      .map((width, column) => {
        const cell = cells[column] ?? ''
        return numbers.has(column) ? cell.padStart(width) : cell.padEnd(width)
      })
      .join(GAP)
      .trimEnd()
  return [line(head), widths.map((width) => '─'.repeat(width)).join(GAP), ...rows.map(line)]
}

/**
 * Heads of the cells that `percentileCells` makes, and the columns they take after a first one of
 * text.
 */
export const LATENCY_HEAD = [
  'count',
  'p50 ms',
  'p90 ms',
  'p99 ms',
  'p99.9 ms',
  'p99.99 ms',
  'max ms',
]
export const LATENCY_COLUMNS = new Set(LATENCY_HEAD.map((_, index) => index + 1))

/** Outcomes with counts and latency percentiles, one line each; ends without a line break. */
export function renderTable(rows: readonly OutcomeRow[]): string {
  return tableLines(
    ['outcome', ...LATENCY_HEAD],
    rows.map((row) => [
      (row.unexpected ? '! ' : '') + row.outcome,
      ...percentileCells(row.latency),
    ]),
    LATENCY_COLUMNS,
  ).join('\n')
}

export function percentileCells(latency: Percentiles): string[] {
  return [
    String(latency.count),
    ...[
      latency.p50_ms,
      latency.p90_ms,
      latency.p99_ms,
      latency.p99_9_ms,
      latency.p99_99_ms,
      latency.max_ms,
    ].map(inMilliseconds),
  ]
}

/** `0.42`, `15.3`, `1502`: three digits are enough to read. */
function inMilliseconds(ms: number): string {
  const decimals = ms < 10 ? 2 : ms < 100 ? 1 : 0
  return new Intl.NumberFormat('en', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
    useGrouping: false,
  }).format(ms)
}
