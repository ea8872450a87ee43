// The bounds by which answer times of tenants are counted, each with its column of
// authorization_counts.

/** Milliseconds: an answer counts in the first bucket whose bound it stays below. */
export const ANSWER_BOUNDS_MS = [50, 100, 200, 300, 500, 800, 1500, Number.POSITIVE_INFINITY]

/** Columns in the order of the bounds. */
export const ANSWER_COLUMNS = [
  'answered_50',
  'answered_100',
  'answered_200',
  'answered_300',
  'answered_500',
  'answered_800',
  'answered_1500',
  'answered_more',
] as const
export type AnswerColumn = (typeof ANSWER_COLUMNS)[number]

/** Returns the column that counts an answer after so many milliseconds. */
export function answerColumn(latencyMs: number): AnswerColumn {
  const at = ANSWER_BOUNDS_MS.findIndex((bound) => latencyMs < bound)
  return ANSWER_COLUMNS[at] ?? 'answered_more'
}
