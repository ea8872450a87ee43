// Constant parts of statements, made once. Every part that the driver makes is a promise with
// callbacks of its own, which outlive their call until the next full collection: a statement of a
// dozen parts costs more than its rows.
import postgres from 'postgres'

/** Only writes text: no query made with it is ever sent, so it never connects. */
const writer = postgres({ host: 'localhost', username: 'nobody', max: 1, fetch_types: false })

type Fixed = postgres.PendingQuery<postgres.Row[]>

/** Text without parameters, for any statement of any pool; its parts are such texts too. */
export function fixed(text: TemplateStringsArray, ...parts: readonly Fixed[]): Fixed {
  return writer(text, ...parts)
}

export const NOTHING = fixed``
