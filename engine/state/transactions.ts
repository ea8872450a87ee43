// Every transaction that may still get messages, found by the link its messages share: sums,
// windows, and the notifications already applied. A transaction with an open hold is always kept,
// others for a limited time. Only journal entries change it.
import { countedAmount, hasMoved, openHold, type Sums } from '../../shared/transaction-sums.ts'
import type { Effect } from '../../shared/wire/journal-entry.ts'
import { ExpiryBuckets } from '../memory/expiry-buckets.ts'
import { SlotIndex } from '../memory/slot-index.ts'
import { CLOSED_MAX, ClosedTransactions, LISTED } from './closed-transactions.ts'
import type { RowOverflow } from './row-overflow.ts'
import { NONE, ROW_BYTES, SUPERSEDED, TransactionRows, USED } from './transaction-rows.ts'
import type { Money, Portion, WindowRef } from './window-ref.ts'

const ROWS_PER_CHUNK = 4096
/** Transactions with one link that are searched for a repeated notification, beside the latest. */
const OTHERS_MAX = 8

/** The state of a transaction when a message arrives. */
export interface TransactionState {
  sums: Sums
  flags: number
  sequence: number
  receivedAtMs: number
  holdExpiresAtMs: number
  /** Approved amount, if the network's request was in another currency than the card's. */
  asked: Money | null
  /** Reversals that wait for their capture or refund; null where none waits. */
  early: Effect['early']
}

export interface NewTransaction {
  link: Buffer
  transaction: Buffer
  sums: Sums
  receivedAtMs: number
  /** True if it begins with a notification, false for an authorization request. */
  byNotification: boolean
}

export class Transactions {
  readonly #rows = new TransactionRows()
  readonly #index = new SlotIndex({
    low: (row) => this.#rows.linkWord(row, 0),
    high: (row) => this.#rows.linkWord(row, 1),
    holds: (row, link) => this.#rows.hasLink(row, link),
  })
  /**
   * Rows whose link another transaction took over, by id; the latest of them by link. Networks do
   * not reuse links on purpose.
   */
  readonly #superseded = new Map<string, number>()
  readonly #others = new Map<string, number[]>()
  readonly #portions = new Map<number, Portion[]>()
  readonly #expiries = new ExpiryBuckets()
  readonly #closed: ClosedTransactions
  #size = 0

  /** Keeps at most `closedMax` transactions without an open hold. */
  constructor(closedMax: number = CLOSED_MAX) {
    this.#closed = new ClosedTransactions(this.#rows, closedMax)
  }

  get size(): number {
    return this.#size
  }

  /** Transactions with an open hold. */
  get openHolds(): number {
    return this.#size - this.#closed.size
  }

  /**
   * Returns the row of the latest transaction with this link, or -1. With an id it returns exactly
   * that transaction.
   */
  find(link: Buffer, transaction: Buffer | null = null): number {
    const latest = this.#index.find(link)
    return transaction === null ? latest : this.exactly(transaction, latest)
  }

  /**
   * Returns the row of exactly this transaction, or -1; `latest` is the result of `find` for its
   * link alone.
   */
  exactly(transaction: Buffer, latest: number): number {
    if (latest !== -1 && this.#rows.hasTransaction(latest, transaction)) return latest
    if (this.#superseded.size === 0) return -1
    return this.#superseded.get(transaction.toString('latin1')) ?? -1
  }

  read(row: number): TransactionState {
    const rows = this.#rows
    return {
      sums: rows.sums(row),
      flags: rows.flags(row),
      sequence: rows.sequence(row),
      receivedAtMs: rows.receivedAtMs(row),
      holdExpiresAtMs: rows.expiresAtMs(row),
      asked: rows.asked(row),
      early: rows.early(row),
    }
  }

  /** 16 bytes of the transaction's id, and of its link. */
  idOf(row: number): Buffer {
    return this.#rows.transaction(row)
  }

  linkOf(row: number): Buffer {
    return this.#rows.link(row)
  }

  /**
   * Adds a transaction, which takes the link over. Exception: an authorization request that moves
   * nothing leaves the link to a transaction that moved money or has a notification.
   */
  add(made: NewTransaction): number {
    const holder = this.#index.find(made.link)
    const row = this.#rows.take()
    this.#rows.name(row, made.link, made.transaction)
    this.#rows.setReceivedAtMs(row, made.receivedAtMs)
    this.#rows.setMarks(row, USED)
    this.#size += 1
    const moves = made.byNotification || hasMoved(made.sums)
    if (holder !== -1 && !moves && this.#isLasting(holder, this.#rows.sums(holder))) {
      this.#supersede(row)
    } else {
      if (holder !== -1) {
        this.#index.remove(holder)
        this.#supersede(holder)
      }
      this.#index.add(row)
    }
    return row
  }

  /** Applies a message's effect to the transaction. */
  change(row: number, effect: Effect, atMs: number): void {
    const rows = this.#rows
    const expiredBefore = rows.expiresAtMs(row)
    rows.setSums(row, effect.sums)
    rows.setFlags(row, effect.flags)
    rows.setSequence(row, effect.sequence)
    rows.setExpiresAtMs(row, effect.holdExpiresAtMs)
    rows.setEarly(row, effect.early)
    rows.setTouchedAtMs(row, atMs)
    if (effect.holdExpiresAtMs !== 0 && effect.holdExpiresAtMs !== expiredBefore)
      this.#expiries.add(row, effect.holdExpiresAtMs)
    this.#enlist(row, effect.sums)
  }

  /** Sets or clears the approved amount in another currency. */
  setAsked(row: number, asked: Money | null): void {
    this.#rows.setAsked(row, asked)
  }

  places(row: number): WindowRef[] {
    return this.#rows.places(row)
  }

  setPlaces(row: number, places: readonly WindowRef[]): void {
    this.#rows.setPlaces(row, places)
  }

  /** Amounts in other windows than the transaction's first, latest last. */
  portions(row: number): readonly Portion[] {
    return this.#portions.get(row) ?? NO_PORTIONS
  }

  setPortions(row: number, portions: readonly Portion[]): void {
    if (portions.length === 0) this.#portions.delete(row)
    else this.#portions.set(row, [...portions])
  }

  /**
   * Returns the transaction with this link to which the notification with this message key was
   * already applied, or -1.
   */
  knowing(link: Buffer, messageKey: Buffer): number {
    const latest = this.#index.find(link)
    if (latest !== -1 && this.#rows.hasKey(latest, messageKey)) return latest
    return this.behind(link).find((row) => this.#rows.hasKey(row, messageKey)) ?? -1
  }

  /** Transactions that lost this link to the latest one. */
  behind(link: Buffer): readonly number[] {
    return this.#others.size === 0
      ? NO_ROWS
      : (this.#others.get(link.toString('latin1')) ?? NO_ROWS)
  }

  /** Remembers an applied notification. Call it before `change`. */
  addMessage(row: number, messageKey: Buffer): void {
    this.#rows.addKey(row, messageKey)
  }

  /**
   * Returns a transaction whose open hold is over, or -1. The same one is returned until `change`
   * ends the hold.
   */
  expired(now: number): number {
    return this.#expiries.next(now, (row) => this.#rows.expiresAtMs(row))
  }

  /**
   * Forgets at most `rowsMax` transactions without an open hold that are too old or too many.
   * Returns how many of them still counted: their amounts stay counted.
   */
  forget(now: number, rowsMax: number): number {
    let counted = 0
    for (let gone = 0; gone < rowsMax; gone++) {
      const row = this.#closed.purgeable(now)
      if (row === NONE) break
      if (countedAmount(this.#rows.sums(row)) > 0) counted += 1
      this.#remove(row)
    }
    return counted
  }

  /** Every transaction by row; those with an open hold first, then the others, oldest first. */
  *all(): Iterable<number> {
    for (let row = 0; row < this.#rows.end; row++)
      if ((this.#rows.marks(row) & (USED | LISTED)) === USED) yield row
    yield* this.#closed.rows()
  }

  /** Data that does not fit into rows, by place in `all`. */
  overflow(): [place: number, overflow: RowOverflow | null, portions: readonly Portion[]][] {
    const kept: [number, RowOverflow | null, readonly Portion[]][] = []
    let place = 0
    for (const row of this.all()) {
      const [overflow, portions] = [this.#rows.overflow(row), this.portions(row)]
      if (overflow !== null || portions.length > 0) kept.push([place, overflow, portions])
      place += 1
    }
    return kept
  }

  /** Rows in the order of `all`, for a snapshot. */
  *chunks(): Iterable<Buffer> {
    let chunk: Buffer[] = []
    for (const row of this.all()) {
      chunk.push(this.#rows.bytes(row))
      if (chunk.length === ROWS_PER_CHUNK) {
        yield Buffer.concat(chunk)
        chunk = []
      }
    }
    yield Buffer.concat(chunk)
  }

  /** Appends a stored chunk; `overflow` is by place among all rows. */
  restore(
    chunk: Buffer,
    overflow: ReadonlyMap<number, readonly [RowOverflow | null, readonly Portion[]]>,
  ): void {
    for (let from = 0; from < chunk.length; from += ROW_BYTES) {
      const [more, portions] = overflow.get(this.#size) ?? NO_OVERFLOW
      const row = this.#rows.restore(chunk.subarray(from, from + ROW_BYTES), more)
      this.setPortions(row, portions)
      this.#size += 1
      const superseded = (this.#rows.marks(row) & SUPERSEDED) !== 0
      this.#rows.setMarks(row, USED)
      if (superseded) this.#supersede(row)
      else this.#index.add(row)
      if (this.#rows.expiresAtMs(row) !== 0) this.#expiries.add(row, this.#rows.expiresAtMs(row))
      this.#enlist(row, this.#rows.sums(row))
    }
  }

  #supersede(row: number): void {
    this.#rows.setMarks(row, this.#rows.marks(row) | SUPERSEDED)
    this.#superseded.set(this.#rows.transaction(row).toString('latin1'), row)
    const link = this.#rows.link(row).toString('latin1')
    const others = [...(this.#others.get(link) ?? []), row]
    this.#others.set(link, others.slice(-OTHERS_MAX))
  }

  #unsupersede(row: number): void {
    this.#superseded.delete(this.#rows.transaction(row).toString('latin1'))
    const link = this.#rows.link(row).toString('latin1')
    const others = (this.#others.get(link) ?? []).filter((other) => other !== row)
    if (others.length === 0) this.#others.delete(link)
    else this.#others.set(link, others)
  }

  /** A row without an open hold becomes the youngest of the lists; a row with one leaves them. */
  #enlist(row: number, sums: Sums): void {
    this.#closed.remove(row)
    if (openHold(sums) === 0) this.#closed.add(row, this.#isLasting(row, sums))
  }

  /** False for a transaction made only of declined authorization requests. */
  #isLasting(row: number, sums: Sums): boolean {
    return hasMoved(sums) || this.#rows.hasKeys(row)
  }

  #remove(row: number): void {
    this.#closed.remove(row)
    if ((this.#rows.marks(row) & SUPERSEDED) === 0) this.#index.remove(row)
    else this.#unsupersede(row)
    this.#portions.delete(row)
    this.#rows.give(row)
    this.#size -= 1
  }
}

const NO_ROWS: readonly number[] = []
const NO_PORTIONS: readonly Portion[] = []
const NO_OVERFLOW: readonly [RowOverflow | null, readonly Portion[]] = [null, NO_PORTIONS]
