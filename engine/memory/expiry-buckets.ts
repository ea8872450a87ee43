// The ends of open holds: rows by the full hour. A row that is no longer due is skipped when its
// hour comes, so no search is ever needed.
import { NO_ROW, RowPieces, RowStack } from './row-stack.ts'

const HOUR_MS = 3_600_000
/** Most rows in one call that turn out not to be due. */
const LOOKS_MAX = 10_000

export class ExpiryBuckets {
  readonly #memory = new RowPieces()
  readonly #hours = new Map<number, RowStack>()
  #from = Number.POSITIVE_INFINITY

  /** Adds the end of the row's hold, on the full hour at or after the given moment. */
  add(row: number, expiresAtMs: number): void {
    const hour = hourOf(expiresAtMs)
    let rows = this.#hours.get(hour)
    if (rows === undefined) {
      rows = new RowStack(this.#memory)
      this.#hours.set(hour, rows)
    }
    rows.push(row)
    this.#from = Math.min(this.#from, hour)
  }

  /**
   * Returns a row whose hour is over, or -1. The row stays the next one until `expiresAtMs` gives
   * another end for its hold, or 0 without an open hold.
   */
  next(now: number, expiresAtMs: (row: number) => number): number {
    const over = Math.floor(now / HOUR_MS)
    let looks = LOOKS_MAX
    while (this.#from <= over) {
      const rows = this.#hours.get(this.#from)
      while (rows !== undefined) {
        const row = rows.last()
        if (row === NO_ROW) break
        if (looks === 0) return NO_ROW
        if (hourOf(expiresAtMs(row)) === this.#from) return row
        rows.pop()
        looks -= 1
      }
      this.#hours.delete(this.#from)
      this.#from = this.#hours.size === 0 ? Number.POSITIVE_INFINITY : this.#from + 1
    }
    return NO_ROW
  }
}

function hourOf(moment: number): number {
  return Math.ceil(moment / HOUR_MS)
}
