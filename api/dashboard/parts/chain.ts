// The chain of an audit log: which rows were checked, and the way to check the others.
import { type Html, html, url } from '../../../shared/html.ts'
import type { Outcome } from '../page.ts'
import { countText } from './money.ts'
import { notice, panelError } from './panel.ts'

/** Chosen: a visit checks the newest rows; a thousand cost some tens of milliseconds. */
const ROWS = 1000

interface Verified {
  valid: boolean
  rows: number
  broken: { seq: number; problem: string } | null
  next_from: number | null
}

/** The row with which a visit begins to check: `from` of its address, else one near the newest. */
export function checkedFrom(query: URLSearchParams, newest: number): number {
  const asked = Number(query.get('from'))
  const isRow = Number.isSafeInteger(asked) && asked >= 1 && asked <= newest
  return isRow ? asked : Math.max(1, newest - ROWS + 1)
}

/** The rows that hang together, or the first that does not; nothing about an empty log. */
export function chainNotice(
  verified: Outcome<Verified>,
  { from, path }: { from: number; path: string },
): Html | null {
  if (!verified.ok) return verified.problem.status === 403 ? null : panelError(verified.problem)
  const { valid, rows, broken, next_from: next } = verified.value
  if (!valid)
    return notice('bad', 'The chain is broken at row ' + broken?.seq + ': ' + broken?.problem)
  if (rows === 0) return null
  if (from === 1 && next === null)
    return notice('good', 'The chain is whole: all ' + countText(rows) + ' rows were checked.')
  const [first, last] = [countText(from), countText(from + rows - 1)]
  const further = next ?? 1
  const label = next === null ? 'Check from the first row' : 'Check on from row ' + countText(next)
  return notice(
    'good',
    html`Rows ${first} to ${last} hang together: none was changed or is missing. <a href="${url(path + '?from=' + further)}">${label}</a>`,
  )
}
