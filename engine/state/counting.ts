// Counts transactions in spend windows: an effect's change moves the windows of its transaction.
// Only this file calls the counting methods of meters.
//
// Chosen: an amount counts in the windows of the original authorization, and the authorization
// once, while any part of it counts. The amount an increment adds on a later day counts in the
// windows of that day; a returned amount leaves the latest windows first.
import { assert } from '../../shared/assert.ts'
import { countedAmount } from '../../shared/transaction-sums.ts'
import type { Effect, MeterKey } from '../../shared/wire/journal-entry.ts'
import type { Meters } from './meters.ts'
import type { Transactions } from './transactions.ts'
import type { Money, Portion, WindowRef } from './window-ref.ts'

export interface Counting {
  readonly meters: Meters
  readonly transactions: Transactions
}

/** An entry's effect on its transaction. */
export interface AppliedEffect {
  effect: Effect
  /** 16 bytes of the transaction's id. */
  transaction: Buffer
  /** Windows for the added amount; empty if it follows its transaction's windows. */
  keys: readonly MeterKey[]
  /** The meter of each window, -1 if not known. */
  meters: readonly number[]
  receivedAtMs: number
  /**
   * The message key of a notification; null otherwise: an old authorization request is refused, so
   * its repeats need no memory.
   */
  messageKey: Buffer | null
  /** Approved amount in another currency than the card's; null otherwise. */
  asked: Money | null
  /** True if that amount is the whole, not an addition. */
  askedAnew: boolean
}

/** Adds to the reserved amount of every window. */
export function reserveIn(
  meters: Meters,
  keys: readonly MeterKey[],
  amount: number,
  count: number,
): void {
  for (const { meter, day } of placesOf(meters, keys, [])) meters.reserve(meter, day, amount, count)
}

/** Takes a reservation back, with its original numbers. */
export function unreserveIn(
  meters: Meters,
  keys: readonly MeterKey[],
  amount: number,
  count: number,
): void {
  for (const { meter, day } of placesOf(meters, keys, []))
    meters.unreserve(meter, day, amount, count)
}

/** Sets the transaction to the result of the effect, and moves the windows by the difference. */
export function applyEffect({ meters, transactions }: Counting, applied: AppliedEffect): void {
  const { effect, transaction, receivedAtMs } = applied
  const { link, sums } = effect
  let row = effect.sequence === 1 ? -1 : transactions.find(link, transaction)
  const after = countedAmount(sums)
  if (row === -1) {
    assert(effect.sequence === 1, 'an effect on a transaction that is not there')
    const byNotification = applied.messageKey !== null
    row = transactions.add({ link, transaction, sums, receivedAtMs, byNotification })
    if (after > 0) countFirst({ meters, transactions }, row, after, applied)
  } else countChange({ meters, transactions }, row, after, applied)
  if (applied.messageKey !== null) transactions.addMessage(row, applied.messageKey)
  if (applied.askedAnew || applied.asked !== null)
    transactions.setAsked(row, askedAfter(transactions.read(row).asked, applied))
  transactions.change(row, effect, receivedAtMs)
}

/** Chosen: if two currencies other than the card's come, the first is kept. */
function askedAfter(before: Money | null, { asked, askedAnew }: AppliedEffect): Money | null {
  if (askedAnew || before === null || asked === null) return asked
  if (asked.currency !== before.currency) return before
  return { cents: before.cents + asked.cents, currency: before.currency }
}

/**
 * Returns the first window whose counter differs from the sum over its transactions, or null.
 * Checked after every recovery, before the first answer.
 */
export function countedDifferently({ meters, transactions }: Counting): string | null {
  const counted = meters.emptied()
  for (const row of transactions.all()) {
    const sum = countedAmount(transactions.read(row).sums)
    let first = sum
    for (const { places, amount } of transactions.portions(row)) {
      use(counted, places, amount, 0)
      first -= amount
    }
    use(counted, transactions.places(row), first, sum > 0 ? 1 : 0)
  }
  return meters.mismatch(counted)
}

/** Counts a new transaction. */
function countFirst(
  { meters, transactions }: Counting,
  row: number,
  amount: number,
  applied: AppliedEffect,
): void {
  const places = placesOf(meters, applied.keys, applied.meters)
  transactions.setPlaces(row, places)
  use(meters, places, amount, 1)
}

/** Counts the change of an existing transaction; call it before its sums are set. */
function countChange(counting: Counting, row: number, after: number, applied: AppliedEffect): void {
  const before = countedAmount(counting.transactions.read(row).sums)
  if (after > before) {
    const places = placesOf(counting.meters, applied.keys, applied.meters)
    countMore(counting, row, after - before, places)
  } else if (after < before) countLess(counting, row, before - after)
  countOnce(counting, row, (after > 0 ? 1 : 0) - (before > 0 ? 1 : 0))
}

function countMore(
  { meters, transactions }: Counting,
  row: number,
  amount: number,
  places: readonly WindowRef[],
): void {
  const own = transactions.places(row)
  if (own.length === 0) transactions.setPlaces(row, places)
  else if (places.length > 0 && !arePlacesEqual(own, places))
    transactions.setPortions(row, [...transactions.portions(row), { places, amount }])
  use(meters, places.length > 0 ? places : own, amount, 0)
}

function arePlacesEqual(one: readonly WindowRef[], other: readonly WindowRef[]): boolean {
  if (one.length !== other.length) return false
  return one.every(({ meter, day }, at) => other[at]?.meter === meter && other[at]?.day === day)
}

function countLess({ meters, transactions }: Counting, row: number, amount: number): void {
  const portions: Portion[] = [...transactions.portions(row)]
  let left = amount
  for (let last = portions.pop(); last !== undefined; last = portions.pop()) {
    const taken = Math.min(left, last.amount)
    use(meters, last.places, -taken, 0)
    left -= taken
    if (taken < last.amount) {
      portions.push({ places: last.places, amount: last.amount - taken })
      break
    }
  }
  transactions.setPortions(row, portions)
  use(meters, transactions.places(row), -left, 0)
}

function countOnce({ meters, transactions }: Counting, row: number, count: number): void {
  if (count !== 0) use(meters, transactions.places(row), 0, count)
}

function use(meters: Meters, places: readonly WindowRef[], amount: number, count: number): void {
  for (const { meter, day } of places) meters.use(meter, day, amount, count)
}

function placesOf(
  meters: Meters,
  keys: readonly MeterKey[],
  known: readonly number[],
): WindowRef[] {
  const places: WindowRef[] = []
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] as MeterKey
    const found = known[at] ?? -1
    const meter = found === -1 ? meters.open(key[0], key[1], key[2], key[4]) : found
    places.push({ meter, day: key[3] })
  }
  return places
}
