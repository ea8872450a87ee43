import { test } from 'tap'
import { ExpiryBuckets } from '../../engine/memory/expiry-buckets.ts'
import { applyEffect, countedDifferently } from '../../engine/state/counting.ts'
import { Meters } from '../../engine/state/meters.ts'
import { Transactions } from '../../engine/state/transactions.ts'
import type { Portion } from '../../engine/state/window-ref.ts'
import { hasMoved, noSums, openHold, SUM_NAMES, type Sums } from '../../shared/transaction-sums.ts'
import { type Effect, transactionLink } from '../../shared/wire/journal-entry.ts'
import { fc } from '../harness/properties.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
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
    early: null,
  }
}

function open(
  table: Transactions,
  made: { link: number; id: number; sums: Partial<Sums>; at?: number; byNotification?: boolean },
) {
  const { at = NOW_MS, byNotification = false } = made
  const change = effect(made.link, 1, made.sums)
  const row = table.add({
    link: link(made.link),
    transaction: id(made.id),
    sums: change.sums,
    receivedAtMs: at,
    byNotification,
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

/** Every readable property of a transaction, as text. */
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

test('a transaction is stored whole, also beyond the size of its row', (t) => {
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

test('the sums and flags of a transaction read back as they were set', (t) => {
  const table = new Transactions()
  const row = open(table, { link: 1, id: 1, sums: { authorized: 7 }, at: NOW_MS - 5 })
  const sums = { ...noSums() }
  for (const [index, name] of SUM_NAMES.entries()) sums[name] = 2 ** 40 + index
  const early = { capture: 2 ** 41, refund: 3 }
  const made = { ...effect(1, 3, sums), flags: 2 ** 31 + 5, holdExpiresAtMs: NOW_MS + 7, early }
  table.change(row, made, NOW_MS)
  table.setAsked(row, { cents: 9, currency: 'JPY' })
  for (const each of [table, reloaded(table)])
    t.strictSame(each.read(0), {
      sums,
      flags: made.flags,
      sequence: 3,
      receivedAtMs: NOW_MS - 5,
      holdExpiresAtMs: NOW_MS + 7,
      asked: { cents: 9, currency: 'JPY' },
      early,
    })
  table.change(row, { ...made, early: null }, NOW_MS)
  t.equal(reloaded(table).read(0).early, null)
  table.setAsked(row, { cents: 1, currency: 'JPY' })
  t.same(table.read(row).asked, { cents: 1, currency: 'JPY' })
  table.setAsked(row, null)
  t.equal(table.read(row).asked, null)
  t.end()
})

test('freed rows are reused one by one, each empty, before a new one is made', (t) => {
  const table = new Transactions()
  for (let number = 1; number <= 4; number++) {
    const row = open(table, { link: number, id: number, sums: { captured: 1 }, at: 0 })
    table.setPlaces(
      row,
      Array.from({ length: 9 }, (_, meter) => ({ meter, day: 1 })),
    )
    for (let notification = 0; notification < 5; notification++)
      table.addMessage(row, key(notification))
  }
  table.forget(NOW_MS, 3)
  const again = [5, 6, 7, 8].map((number) =>
    open(table, { link: number, id: number, sums: { authorized: 1 } }),
  )
  t.same([...again].sort(), [0, 1, 2, 4])
  t.same(
    again.map((row) => table.places(row).length),
    [0, 0, 0, 0],
  )
  t.equal(table.overflow().length, 1, 'only the one that was left')
  t.same(
    [4, 5, 6, 7, 8].map((number) => table.find(link(number)) !== -1),
    [true, true, true, true, true],
  )
  t.end()
})

test('a forgotten transaction leaves its row to the next, and no data', (t) => {
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

test('the oldest transactions go first, those without effect before others, an open hold never', (t) => {
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

test('a hold past its hour is named until it ends; a moved one is not', (t) => {
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

test('added, changed and forgotten transactions are found as in a plain map', (t) => {
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
        // Each is found by its id, and by its link the latest, or the one with an open hold.
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

test('a link or an id without a transaction is not found, also after a restore', (t) => {
  const table = new Transactions()
  const now = transactionLink('live', 'simnet', 'card_1', 'ntx-1')
  const made = { transaction: id(1), sums: noSums(), receivedAtMs: NOW_MS, byNotification: false }
  table.add({ ...made, link: now })
  table.add({ ...made, transaction: id(2), link: link(2) })
  const again = reloaded(table)
  t.equal(again.find(link(3)), -1)
  t.equal(again.find(link(3), id(3)), -1, 'nor by an id that nobody has')
  t.equal(new Transactions().find(link(3), id(3)), -1, 'nor where there is none at all')
  t.equal(again.find(now, id(2)), -1, 'nor by that of another link')
  t.end()
})

test('a restored table has its open holds, and forgets the others in time', (t) => {
  const table = new Transactions()
  open(table, { link: 1, id: 1, sums: { captured: 1 } })
  t.equal(reloaded(table).expired(NOW_MS + 9 * DAY_MS), -1, 'what holds nothing never runs out')
  open(table, { link: 2, id: 2, sums: { authorized: 1 } })
  const again = reloaded(table)
  t.equal(again.openHolds, 1)
  t.equal(again.expired(NOW_MS + DAY_MS), again.find(link(2)))
  t.equal(again.forget(NOW_MS + 36 * DAY_MS, 4), 1)
  t.same([again.size, again.find(link(1))], [1, -1])
  t.end()
})

test('a transaction keeps its portions, one or several, until none is left', (t) => {
  const table = new Transactions()
  const row = open(table, { link: 1, id: 1, sums: { authorized: 5 } })
  const one: Portion[] = [{ places: [{ meter: 3, day: 20261120 }], amount: 2 }]
  for (const portions of [one, [...one, { places: [], amount: 1 }]]) {
    table.setPortions(row, portions)
    t.same(table.portions(row), portions)
    t.same(reloaded(table).portions(0), portions)
  }
  table.setPortions(row, [])
  t.same(table.portions(row), [])
  t.same(table.overflow(), [])
  t.end()
})

test('eight windows and four messages fit a row, and more are stored beside it', (t) => {
  const table = new Transactions()
  const row = open(table, { link: 1, id: 1, sums: { authorized: 5 } })
  const places = Array.from({ length: 9 }, (_, meter) => ({ meter: meter + 3, day: 20261120 }))
  table.setPlaces(row, places.slice(0, 8))
  table.addMessage(row, key(0))
  t.equal(table.knowing(link(1), Buffer.alloc(16)), -1, 'an empty place is no fact')
  for (let number = 1; number < 4; number++) table.addMessage(row, key(number))
  t.same(table.overflow(), [])
  t.same(table.places(row), places.slice(0, 8))
  table.setPlaces(row, places)
  t.same(table.places(row), places)
  t.match(table.overflow(), [[0, { places: places.slice(8), keys: [] }, []]])
  table.setPlaces(row, places.slice(0, 2))
  t.same(table.overflow(), [])
  t.same(table.places(row), places.slice(0, 2))
  table.addMessage(row, key(4))
  t.equal(table.overflow()[0]?.[1]?.keys.length, 1)
  table.setPlaces(row, places)
  const again = reloaded(table)
  t.same(again.places(0), places)
  t.equal(again.knowing(link(1), key(4)), 0)
  t.end()
})

test('the latest of more than a thousand notifications of a transaction are recognised as repeats', (t) => {
  const table = new Transactions()
  const row = open(table, { link: 1, id: 1, sums: { captured: 5 } })
  const notification = (number: number): Buffer => {
    const bytes = Buffer.alloc(16, 5)
    bytes.writeUInt32LE(number, 0)
    return bytes
  }
  for (let number = 0; number < 4 + 1000; number++) table.addMessage(row, notification(number))
  const knows = (number: number): boolean => table.knowing(link(1), notification(number)) === row
  t.ok([0, 3, 4, 1003].every(knows))
  table.addMessage(row, notification(1004))
  t.same([0, 3, 4, 5, 1004].map(knows), [true, true, false, true, true])
  t.equal(reloaded(table).knowing(link(1), notification(1004)), 0)
  t.end()
})

test('a transaction without a hold is kept for 35 days, a request without effect for two', (t) => {
  for (const [sums, days] of [
    [{ captured: 1 }, 35],
    [{}, 2],
  ] as const) {
    const table = new Transactions()
    for (const number of [1, 2]) open(table, { link: number, id: number, sums, at: NOW_MS })
    t.equal(table.openHolds, 0)
    t.equal(table.forget(NOW_MS + days * DAY_MS, 4), 0, 'on the day itself')
    t.equal(table.size, 2)
    t.equal(table.forget(NOW_MS + days * DAY_MS + 1, 1), 'captured' in sums ? 1 : 0)
    t.equal(table.size, 1)
    table.forget(NOW_MS + days * DAY_MS + 1, 4)
    t.equal(table.size, 0)
  }
  t.end()
})

test('the latest and eight others of one link know their notifications; forgotten ones do not', (t) => {
  const table = new Transactions()
  for (let number = 0; number < 10; number++) {
    const row = open(table, { link: 1, id: number, sums: { captured: 1 }, at: NOW_MS + number })
    table.addMessage(row, key(number))
  }
  const known = (): number[] =>
    [0, 1, 2, 8, 9].filter((number) => table.knowing(link(1), key(number)) !== -1)
  t.same(known(), [1, 2, 8, 9])
  t.same(
    [0, 1, 9, 10].map((number) => table.find(link(1), id(number)) !== -1),
    [true, true, true, false],
    'and each is found by its id',
  )
  t.equal(table.knowing(link(2), key(1)), -1)
  table.forget(NOW_MS + 35 * DAY_MS + 2, 4)
  t.same(known(), [2, 8, 9])
  t.equal(table.find(link(1), id(1)), -1)
  table.forget(NOW_MS + 35 * DAY_MS + 8, 99)
  t.same(known(), [8, 9], 'the last other too')
  table.forget(NOW_MS + 36 * DAY_MS, 99)
  t.equal(table.size, 0)
  t.same(known(), [])
  t.end()
})

test('a declined request leaves the link to a transaction with effect or with notifications', (t) => {
  const table = new Transactions()
  const latest = (): string => table.idOf(table.find(link(1))).toString('hex')
  open(table, { link: 1, id: 1, sums: {} })
  open(table, { link: 1, id: 2, sums: {} })
  t.equal(latest(), id(2).toString('hex'))
  table.addMessage(table.find(link(1)), key(1))
  open(table, { link: 1, id: 3, sums: {} })
  t.equal(latest(), id(2).toString('hex'), 'a fact is about it')
  open(table, { link: 1, id: 4, sums: { authorized: 1 } })
  open(table, { link: 1, id: 5, sums: {} })
  t.equal(latest(), id(4).toString('hex'), 'it moved something')
  t.equal(table.size, 5)
  t.equal(table.openHolds, 1)
  t.end()
})

test('a notification that opens a transaction takes the link, and the earlier one stays behind it', (t) => {
  const table = new Transactions()
  t.same(table.behind(link(1)), [])
  const before = open(table, { link: 1, id: 1, sums: { refunded: 1 } })
  const row = open(table, { link: 1, id: 2, sums: {}, byNotification: true })
  t.equal(table.find(link(1)), row)
  t.same(table.behind(link(1)), [before])
  t.same(table.behind(link(2)), [])
  const again = reloaded(table)
  t.same(again.idOf(again.find(link(1))), id(2))
  t.same(
    again.behind(link(1)).map((one) => again.idOf(one)),
    [id(1)],
  )
  t.end()
})

test('thousands of transactions span many slabs and chunks, and none is lost', (t) => {
  const table = new Transactions()
  const spread = (number: number): Buffer => {
    const bytes = Buffer.alloc(16, 1)
    bytes.writeUInt32LE(Math.imul(number, 0x9e3779b1) >>> 0, 0)
    bytes.writeUInt32LE(Math.imul(number, 0x85ebca6b) >>> 0, 4)
    return bytes
  }
  const count = 5000
  const before = process.memoryUsage().arrayBuffers
  for (let number = 1; number <= count; number++) {
    const sums = { ...noSums(), authorized: number }
    const made = { link: spread(number), transaction: id(number), sums, receivedAtMs: NOW_MS }
    const row = table.add({ ...made, byNotification: false })
    table.change(row, { ...effect(1, 1, sums), link: spread(number) }, NOW_MS)
    table.setPlaces(row, [{ meter: number, day: 20261120 }])
  }
  const grown = process.memoryUsage().arrayBuffers - before
  t.ok(grown < 10_000 * count, grown + ' bytes')
  const again = reloaded(table)
  t.equal([...table.chunks()].length, 2)
  const lost = (from: Transactions): number[] =>
    Array.from({ length: count }, (_, index) => index + 1).filter((number) => {
      const row = from.find(spread(number), id(number))
      return (
        row === -1 ||
        from.read(row).sums.authorized !== number ||
        from.places(row)[0]?.meter !== number
      )
    })
  t.same([lost(table), lost(again)], [[], []])
  t.equal(again.openHolds, count)
  t.end()
})

test('holds that no longer end in their hour are skipped, a bounded number per call', (t) => {
  const buckets = new ExpiryBuckets()
  let looks = 0
  const ends = new Map<number, number>()
  const next = (now: number): number =>
    buckets.next(now, (row) => {
      looks += 1
      return ends.get(row) ?? 0
    })
  for (let row = 0; row < 10_001; row++) buckets.add(row, HOUR_MS)
  ends.set(20_000, 3 * HOUR_MS)
  buckets.add(20_000, 3 * HOUR_MS)
  t.equal(next(HOUR_MS - 1), -1)
  t.equal(looks, 0)
  t.equal(next(HOUR_MS), -1)
  t.equal(looks, 10_000)
  t.equal(next(HOUR_MS), -1)
  t.equal(looks, 10_001)
  t.equal(next(3 * HOUR_MS - 1), -1)
  t.equal(next(3 * HOUR_MS), 20_000)
  ends.set(20_001, 2 * HOUR_MS - 1)
  buckets.add(20_001, 2 * HOUR_MS - 1)
  t.equal(next(3 * HOUR_MS), 20_001, 'one that ended earlier, on its full hour')
  ends.clear()
  t.equal(next(9 * HOUR_MS), -1)
  ends.set(20_002, 5 * HOUR_MS)
  buckets.add(20_002, 5 * HOUR_MS)
  t.equal(next(5 * HOUR_MS), 20_002)
  t.end()
})

test('a changed transaction becomes the youngest, one that holds again reopens, and none is lost', (t) => {
  const table = new Transactions()
  for (const number of [1, 2, 3]) open(table, { link: number, id: number, sums: { captured: 1 } })
  table.change(1, effect(2, 2, { captured: 1, refunded: 1 }), NOW_MS)
  t.same([...table.all()], [0, 2, 1])
  table.change(2, effect(3, 2, { authorized: 9, captured: 1 }), NOW_MS)
  t.same([...table.all()], [2, 0, 1])
  t.equal(table.openHolds, 1)
  t.end()
})

test('holds of successive hours are named one after the other', (t) => {
  const buckets = new ExpiryBuckets()
  const ends = new Map([1, 2, 3, 4].map((hour) => [hour, hour * HOUR_MS]))
  for (const [row, end] of ends) buckets.add(row, end)
  for (const row of [1, 2, 3, 4]) {
    t.equal(
      buckets.next(9 * HOUR_MS, (each) => ends.get(each) ?? 0),
      row,
    )
    ends.delete(row)
  }
  t.end()
})

test('increments of later days are reversed latest first, and a new count agrees', (t) => {
  const [meters, transactions] = [new Meters(), new Transactions()]
  let sequence = 0
  const apply = (sums: Partial<Sums>, day: number | null): void =>
    applyEffect(
      { meters, transactions },
      {
        effect: effect(1, ++sequence, sums),
        transaction: id(1),
        keys: day === null ? [] : [['card_1', 'UTC', 'USD', day]],
        meters: [],
        receivedAtMs: NOW_MS,
        messageKey: null,
        asked: null,
        askedAnew: false,
      },
    )
  /** Amount of the latest day and of all time, the number, and the amounts of later days. */
  const told = (): unknown[] => [
    meters.used(0, 0, 20261122),
    meters.used(0, 4, 20261122),
    meters.usedCount(0, 4, 20261122),
    transactions.portions(0).map(({ amount }) => amount),
    countedDifferently({ meters, transactions }),
  ]
  const rows: [sums: Partial<Sums>, day: number | null, wanted: unknown[]][] = [
    [{ authorized: 100 }, 20261120, [0, 100, 1, [], null]],
    [{ incremented: 5 }, 20261120, [0, 105, 1, [], null]],
    [{ incremented: 35 }, 20261121, [0, 135, 1, [30], null]],
    [{ incremented: 55 }, 20261122, [20, 155, 1, [30, 20], null]],
    [{ reversed: 20 }, null, [0, 135, 1, [30], null]],
    [{ incremented: 75 }, 20261122, [20, 155, 1, [30, 20], null]],
    [{ reversed: 50 }, null, [0, 125, 1, [20], null]],
    [{ reversed: 71 }, null, [0, 104, 1, [], null]],
    [{ reversed: 174 }, null, [0, 1, 1, [], null]],
    [{ reversed: 175 }, null, [0, 0, 0, [], null]],
    [{ captured: 1 }, null, [0, 1, 1, [], null]],
    [{ captured: 2 }, null, [0, 2, 1, [], null]],
    [{ captureReversed: 1 }, null, [0, 1, 1, [], null]],
    [{ captureReversed: 2 }, null, [0, 0, 0, [], null]],
    [{ captured: 9 }, 20261122, [7, 7, 1, [7], null]],
  ]
  let sums: Partial<Sums> = {}
  for (const [change, day, wanted] of rows) {
    sums = { ...sums, ...change }
    apply(sums, day)
    t.same(told(), wanted, JSON.stringify(change))
  }
  t.end()
})

test('an increment with more windows than its authorization has a portion, and counts no second time', (t) => {
  const [meters, transactions] = [new Meters(), new Transactions()]
  const zones = ['UTC', 'Asia/Tokyo']
  for (const [index, sums] of [{ authorized: 1 }, { authorized: 1, incremented: 5 }].entries())
    applyEffect(
      { meters, transactions },
      {
        effect: effect(1, index + 1, sums),
        transaction: id(1),
        keys: zones.slice(0, index + 1).map((zone) => ['card_1', zone, 'USD', 20261120]),
        meters: [],
        receivedAtMs: NOW_MS,
        messageKey: null,
        asked: null,
        askedAnew: false,
      },
    )
  t.same([meters.used(0, 0, 20261120), meters.usedCount(0, 0, 20261120)], [6, 1])
  t.same([meters.used(1, 0, 20261120), transactions.portions(0).length], [5, 1])
  t.equal(countedDifferently({ meters, transactions }), null)
  t.end()
})

test('each sum of authorized, captured or refunded money alone counts as an effect', (t) => {
  const moving = SUM_NAMES.filter((name) => hasMoved({ ...noSums(), [name]: 1 }))
  t.same(moving, ['authorized', 'captured', 'captureReversed', 'refunded', 'refundReversed'])
  t.equal(hasMoved(noSums()), false)
  t.end()
})

/** Applies a message with these sums to the first transaction, in the windows of one card. */
function apply(
  state: { meters: Meters; transactions: Transactions },
  seq: number,
  sums: Partial<Sums>,
): void {
  applyEffect(state, {
    effect: effect(1, seq, sums),
    transaction: id(1),
    keys: [['card_1', 'UTC', 'USD', 20261120]],
    meters: [],
    receivedAtMs: NOW_MS,
    messageKey: null,
    asked: null,
    askedAnew: false,
  })
}

test('a transaction that begins with zero counts in no window', (t) => {
  const [meters, transactions] = [new Meters(), new Transactions()]
  apply({ meters, transactions }, 1, {})
  t.equal(meters.size, 0)
  t.same(transactions.places(transactions.find(link(1))), [])
  t.equal(countedDifferently({ meters, transactions }), null)
  t.end()
})

test('a transaction that begins with zero counts once, at its first amount', (t) => {
  const [meters, transactions] = [new Meters(), new Transactions()]
  const told: unknown[] = []
  for (const [index, sums] of [{}, { authorized: 1 }, { authorized: 3 }].entries()) {
    apply({ meters, transactions }, index + 1, sums)
    const meter = meters.find('card_1', 'UTC', 'USD')
    if (meter !== -1)
      told.push([meters.used(meter, 0, 20261120), meters.usedCount(meter, 0, 20261120)])
    t.equal(countedDifferently({ meters, transactions }), null)
  }
  t.same(told, [
    [1, 1],
    [3, 1],
  ])
  t.same(transactions.portions(0), [])
  t.end()
})
