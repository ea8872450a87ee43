// Decides which transactions without an open hold are forgotten, and when: two linked lists through
// the rows themselves, oldest first.
import { RECALL_MS } from '../../shared/limits.ts'
import { NONE, type TransactionRows } from './transaction-rows.ts'

/**
 * Chosen: a transaction without an open hold is kept this long after its last message, so that
 * follow-ups find it.
 */
const CLOSED_MS = 35 * 24 * 3_600_000
/** Chosen: an authorization request that moved no money is kept as long as answers are recalled. */
const MOVELESS_MS = RECALL_MS
/**
 * Chosen: most transactions without an open hold; beyond it the oldest are forgotten, first those
 * that moved nothing.
 */
export const CLOSED_MAX = 2_000_000

/** Bits that name the list of a row. */
const MOVELESS = 4
const CLOSED = 8
/** Any of these bits: the row has no open hold. */
export const LISTED = MOVELESS | CLOSED

interface List {
  head: number
  tail: number
}

export class ClosedTransactions {
  readonly #rows: TransactionRows
  readonly #sizeMax: number
  readonly #lists: { readonly [bit: number]: List } = {
    [MOVELESS]: { head: NONE, tail: NONE },
    [CLOSED]: { head: NONE, tail: NONE },
  }
  #size = 0

  constructor(rows: TransactionRows, sizeMax: number) {
    this.#rows = rows
    this.#sizeMax = sizeMax
  }

  get size(): number {
    return this.#size
  }

  /** Makes a row the youngest of its list. */
  add(row: number, moved: boolean): void {
    const bit = moved ? CLOSED : MOVELESS
    const list = this.#lists[bit] as List
    this.#rows.setMarks(row, this.#rows.marks(row) | bit)
    this.#rows.setPrevious(row, list.tail)
    this.#rows.setNext(row, NONE)
    if (list.tail === NONE) list.head = row
    else this.#rows.setNext(list.tail, row)
    list.tail = row
    this.#size += 1
  }

  /** Takes a row out of its list, if it is in one. */
  remove(row: number): void {
    const bit = this.#rows.marks(row) & LISTED
    const list = this.#lists[bit]
    if (list === undefined) return
    const [previous, next] = [this.#rows.previous(row), this.#rows.next(row)]
    if (previous === NONE) list.head = next
    else this.#rows.setNext(previous, next)
    if (next === NONE) list.tail = previous
    else this.#rows.setPrevious(next, previous)
    this.#rows.setMarks(row, this.#rows.marks(row) & ~bit)
    this.#size -= 1
  }

  /**
   * Returns the next row to forget, or NONE while no row is too old and the lists are not too long.
   */
  purgeable(now: number): number {
    const [moveless, closed] = [this.#lists[MOVELESS] as List, this.#lists[CLOSED] as List]
    if (this.#size > this.#sizeMax) return moveless.head === NONE ? closed.head : moveless.head
    if (moveless.head !== NONE && this.#rows.touchedAtMs(moveless.head) < now - MOVELESS_MS)
      return moveless.head
    if (closed.head !== NONE && this.#rows.touchedAtMs(closed.head) < now - CLOSED_MS)
      return closed.head
    return NONE
  }

  /** Every row, those that moved nothing first, each list oldest first. */
  *rows(): Iterable<number> {
    for (const bit of [MOVELESS, CLOSED]) {
      let row = (this.#lists[bit] as List).head
      for (; row !== NONE; row = this.#rows.next(row)) yield row
    }
  }
}
