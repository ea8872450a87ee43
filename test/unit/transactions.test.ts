import fc from 'fast-check'
import { test } from 'tap'
import { type Portion, Transactions } from '../../engine/state/transactions.ts'
import { noSums, openHold, type Sums } from '../../shared/transaction-sums.ts'
import type { Effect } from '../../shared/wire/journal-entry.ts'

const DAY_MS = 24 * 3_600_000
const NOW_MS = Date.UTC(2026, 10, 20)

/** Links that collide in every part that chooses a place. */
function link(number: number): Buffer {
  const bytes = Buffer.alloc(16)
  bytes.writeUInt32LE(number % 2, 0)
  bytes.writeUInt32LE(((number % 3) * 0x33333333) >>> 0, 4)
  bytes.writeUInt32LE(number, 8)
  return bytes
}

function id(number: number): Buffer {
  const bytes = Buffer.alloc(16, 9)
  bytes.writeUInt32LE(number, 0)
  return bytes
}

function effect(of: number, sequence: number, sums: Partial<Sums>): Effect {
  const all = { ...noSums(), ...sums }
  return {
    link: link(of),
    sequence,
    event: 'authorized',
    amountCents: 0,
    sums: all,
    flags: 0,
    holdExpiresAtMs: openHold(all) > 0 ? NOW_MS + DAY_MS : 0,
  }
}

function open(
  table: Transactions,
  made: { link: number; id: number; sums: Partial<Sums>; at?: number },
) {
  const { at = NOW_MS } = made
  const change = effect(made.link, 1, made.sums)
  const row = table.add({
    link: link(made.link),
    transaction: id(made.id),
    sums: change.sums,
    receivedAtMs: at,
  })
  table.change(row, change, at)
  return row
}

function reloaded(table: Transactions): Transactions {
  const again = new Transactions()
  const overflow = new Map(
    table.overflow().map(([place, row, portions]) => [place, [row, portions] as const]),
  )
  for (const chunk of table.chunks()) again.restore(Buffer.from(chunk), overflow)
  return again
}

/** Everything that can be asked about a transaction, in words. */
function told(table: Transactions, row: number): string {
  const { sums, ...rest } = table.read(row)
  const known = Array.from({ length: 12 }, (_, number) =>
    table.knowing(table.linkOf(row), key(number)) === -1 ? 0 : 1,
  )
  return JSON.stringify([
    table.idOf(row).toString('hex'),
    sums,
    rest,
    table.places(row),
    table.portions(row),
    known,
  ])
}

function key(number: number): Buffer {
  return Buffer.alloc(16, number + 1)
}

test('a transaction is kept with everything, also what does not fit its row', (t) => {
  const table = new Transactions()
  const places = Array.from({ length: 11 }, (_, meter) => ({ meter, day: 20261120 + meter }))
  const portions: Portion[] = [
    { places: places.slice(0, 2), amount: 7 },
    { places: places.slice(2, 3), amount: 9 },
  ]
  const rows = [1, 2, 3].map((number) =>
    open(table, { link: number, id: number, sums: { authorized: number } }),
  )
  for (const row of rows.slice(0, 2)) {
    table.setPlaces(row, places)
    for (let number = 0; number < 9; number++) table.addMessage(row, key(number))
  }
  table.setPortions(rows[1] as number, portions)
  table.setAsked(rows[1] as number, { cents: 120, currency: 'EUR' })
  t.same(table.read(rows[1] as number).asked, { cents: 120, currency: 'EUR' })
  const again = reloaded(reloaded(table))
  for (const number of [1, 2, 3])
    t.equal(told(again, again.find(link(number))), told(table, table.find(link(number))))
  t.equal(again.openHolds, 3)
  t.end()
})

test('a transaction that is given up leaves its row to the next, and nothing of itself', (t) => {
  const table = new Transactions()
  const first = open(table, { link: 1, id: 1, sums: { captured: 5 }, at: 0 })
  table.setPlaces(
    first,
    Array.from({ length: 9 }, (_, meter) => ({ meter, day: 1 })),
  )
  table.setPortions(first, [{ places: [], amount: 1 }])
  for (let number = 0; number < 9; number++) table.addMessage(first, key(number))
  t.equal(table.forget(NOW_MS, 4), 1, 'it counted something')
  t.same([table.size, table.find(link(1))], [0, -1])
  const second = open(table, { link: 2, id: 2, sums: { authorized: 1 } })
  t.equal(second, first)
  t.same([table.places(second), table.portions(second)], [[], []])
  t.equal(table.knowing(link(2), key(8)), -1)
  t.end()
})

test('the oldest go when there are too many, those that moved nothing first, an open hold never', (t) => {
  const table = new Transactions(3)
  open(table, { link: 0, id: 0, sums: { authorized: 10 } })
  for (let number = 1; number <= 6; number++)
    open(table, { link: number, id: number, sums: number % 2 === 1 ? { captured: 1 } : {} })
  const left = () => [0, 1, 2, 3, 4, 5, 6].filter((number) => table.find(link(number)) !== -1)
  t.equal(table.forget(NOW_MS, 2), 0, 'no more than it was told to')
  t.same(left(), [0, 1, 3, 5, 6])
  t.equal(table.forget(NOW_MS, 4), 0)
  t.same(left(), [0, 1, 3, 5])
  open(table, { link: 7, id: 7, sums: { captured: 1 } })
  t.equal(table.forget(NOW_MS, 4), 1)
  t.same(left(), [0, 3, 5])
  t.end()
})

test('a touched transaction is the youngest again', (t) => {
  const table = new Transactions(2)
  for (let number = 1; number <= 3; number++)
    open(table, { link: number, id: number, sums: { captured: 1 } })
  table.change(table.find(link(1)), effect(1, 2, { captured: 1, refunded: 1 }), NOW_MS)
  table.forget(NOW_MS, 4)
  t.same(
    [1, 2, 3].map((number) => table.find(link(number)) !== -1),
    [true, false, true],
  )
  t.end()
})

test('a hold whose hour is over is named until it ends, one that moved is not', (t) => {
  const table = new Transactions()
  const row = open(table, { link: 1, id: 1, sums: { authorized: 1 } })
  t.equal(table.expired(NOW_MS + DAY_MS - 1), -1)
  t.equal(table.expired(NOW_MS + DAY_MS), row)
  t.equal(table.expired(NOW_MS + DAY_MS), row)
  const later = { ...effect(1, 2, { authorized: 2 }), holdExpiresAtMs: NOW_MS + 2 * DAY_MS }
  table.change(row, later, NOW_MS)
  t.equal(table.expired(NOW_MS + DAY_MS), -1)
  t.equal(reloaded(table).expired(NOW_MS + 2 * DAY_MS), 0)
  table.change(row, effect(1, 3, { authorized: 2, expired: 2 }), NOW_MS)
  t.equal(table.expired(NOW_MS + 9 * DAY_MS), -1)
  t.end()
})

test('whatever is added, changed and forgotten is found as a plain map would find it', (t) => {
  const steps = fc.array(
    fc.record({
      link: fc.nat({ max: 6 }),
      kind: fc.constantFrom('add' as const, 'close' as const, 'forget' as const, 'reload' as const),
      cents: fc.nat({ max: 2 }),
      atDay: fc.nat({ max: 80 }),
    }),
    { maxLength: 60 },
  )
  fc.assert(
    fc.property(steps, (played) => {
      let table = new Transactions()
      const known = new Map<string, string>()
      let made = 0
      for (const { link: of, kind, cents, atDay } of played) {
        if (kind === 'reload') table = reloaded(table)
        else if (kind === 'forget') table.forget(NOW_MS + atDay * DAY_MS, 4)
        else if (kind === 'add') open(table, { link: of, id: ++made, sums: { authorized: cents } })
        else if (table.find(link(of)) !== -1) {
          const row = table.find(link(of))
          const { sums, sequence } = table.read(row)
          const ended = { ...sums, expired: sums.authorized }
          table.change(row, effect(of, sequence + 1, ended), NOW_MS)
        }
        known.clear()
        for (const row of table.all()) known.set(table.idOf(row).toString('hex'), told(table, row))
        if (known.size !== table.size) return false
        // Each is found by its id, and by its link the latest, or the one whose hold is open.
        for (const [name, said] of known) {
          const row = [...table.all()].find(
            (one) => table.idOf(one).toString('hex') === name,
          ) as number
          const found = table.find(table.linkOf(row), Buffer.from(name, 'hex'))
          if (found === -1 || told(table, found) !== said) return false
        }
      }
      return true
    }),
    { numRuns: 200 },
  )
  t.end()
})
