import { test } from 'tap'
import { SlotIndex } from '../../engine/memory/slot-index.ts'
import {
  type AnswerToRecall,
  type RecalledAnswer,
  RecallTable,
} from '../../engine/state/recall-table.ts'
import { DECLINE_REASONS, type DeclineReason } from '../../shared/decline-reason.ts'
import { encodeId } from '../../shared/id.ts'
import { ANSWERED_MS, answerToRecall } from '../harness/answer-to-recall.ts'
import { fc } from '../harness/properties.ts'

const REASONS = Object.keys(DECLINE_REASONS) as DeclineReason[]

/** Real keys are hashes; here some collide in every part that chooses a place. */
function key(number: number): Buffer {
  const bytes = Buffer.alloc(16)
  bytes.writeUInt32LE(number % 3, 0)
  bytes.writeUInt32LE(((number % 5) * 0x33333333) >>> 0, 4)
  bytes.writeUInt32LE(number, 8)
  return bytes
}

function answer(number: number, over: Partial<AnswerToRecall> = {}): AnswerToRecall {
  return answerToRecall(number, { key: key(number), ...over })
}

function asRecalled(put: AnswerToRecall): RecalledAnswer {
  const { key: _, transaction, ...rest } = put
  return {
    ...rest,
    transactionId: transaction === null ? null : 'txn_' + encodeId(transaction),
  }
}

function reloaded(table: RecallTable): RecallTable {
  const copy = new RecallTable()
  for (const chunk of table.chunks()) copy.load(Buffer.from(chunk))
  return copy
}

function recalled(table: RecallTable, of: Buffer): RecalledAnswer | null {
  const slot = table.find(of)
  return slot === -1 ? null : table.read(slot)
}

test('every field reads back as it was written', (t) => {
  const made = fc.record({
    // The first twelve bytes distinguish a key, because it is a hash.
    key: fc
      .uint8Array({ minLength: 12, maxLength: 12 })
      .map((bytes) => Buffer.concat([bytes, Buffer.from('last')])),
    contentHash: fc.uint8Array({ minLength: 8, maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
    transaction: fc.option(
      fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes)),
    ),
    approved: fc.boolean(),
    approvedAmountCents: fc.maxSafeNat(),
    authorizationCode: fc.option(fc.stringMatching(/^[0-9A-Z]{6}$/)),
    declineReason: fc.option(fc.constantFrom(...REASONS)),
    decidedBy: fc.constantFrom(
      'static_controls' as const,
      'tenant' as const,
      'stand_in' as const,
      'system' as const,
      'network' as const,
      'sponsor_bank' as const,
    ),
    standIn: fc.boolean(),
    availableCents: fc.option(fc.maxSafeNat()),
    advisedCode: fc.stringMatching(/^[0-9A-Z]{2}$/),
    receivedAtMs: fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2053, 0, 1) }),
  })
  // An inquiry approves no amount, and a declining advice has a code of its own and none of ours.
  const anyAnswer = made.map((put): AnswerToRecall => {
    const advised = put.declineReason === 'network_stand_in_declined'
    return {
      ...put,
      approvedAmountCents: put.availableCents === null ? put.approvedAmountCents : 0,
      authorizationCode: advised ? null : put.authorizationCode,
      advisedCode: advised ? put.advisedCode : null,
    }
  })
  fc.assert(
    fc.property(fc.array(anyAnswer, { minLength: 1, maxLength: 20 }), (answers) => {
      const table = new RecallTable()
      for (const put of answers) table.put(put)
      const latest = new Map(answers.map((put) => [put.key.toString('hex'), put]))
      return [table, reloaded(table)].every((each) =>
        [...latest.values()].every(
          (put) =>
            JSON.stringify(sorted(recalled(each, put.key))) ===
            JSON.stringify(sorted(asRecalled(put))),
        ),
      )
    }),
  )
  t.end()
})

function sorted(value: RecalledAnswer | null): [string, unknown][] {
  return value === null
    ? []
    : Object.entries(value).sort(([former], [latter]) => (former < latter ? -1 : 1))
}

type Move = { put: number } | { expire: number; budget: number } | { reload: true }

test('the table agrees with a plain map over puts, repeats, expiry and reloading', (t) => {
  const anyMove: fc.Arbitrary<Move> = fc.oneof(
    { weight: 20, arbitrary: fc.record({ put: fc.nat(400) }) },
    { weight: 2, arbitrary: fc.record({ expire: fc.nat(500), budget: fc.nat(60) }) },
    { weight: 1, arbitrary: fc.constant<Move>({ reload: true }) },
  )
  fc.assert(
    fc.property(fc.array(anyMove, { maxLength: 600 }), (moves) => {
      let table = new RecallTable()
      const model = new Map<number, number>()
      let clock = 0
      for (const move of moves) {
        if ('put' in move) {
          clock += 1
          model.set(move.put, clock)
          table.put(
            answer(move.put, { receivedAtMs: ANSWERED_MS + clock, approvedAmountCents: clock }),
          )
        } else if ('expire' in move) {
          let budget = move.budget
          for (const [number, at] of model) {
            if (budget === 0 || at >= move.expire) break
            model.delete(number)
            budget -= 1
          }
          table.expire(ANSWERED_MS + move.expire, move.budget)
        } else {
          table = reloaded(table)
        }
      }
      const same = Array.from({ length: 401 }, (_, number) => number).every(
        (number) => recalled(table, key(number))?.approvedAmountCents === model.get(number),
      )
      return same && table.size === model.size
    }),
    { numRuns: 200 },
  )
  t.end()
})

test('nothing is lost over several slabs, and the oldest goes first', (t) => {
  const table = new RecallTable()
  const count = 200_000
  const spread = (number: number): Buffer => {
    const bytes = Buffer.alloc(16)
    bytes.writeUInt32LE(Math.imul(number, 0x9e3779b1) >>> 0, 0)
    bytes.writeUInt32LE(Math.imul(number, 0x85ebca6b) >>> 0, 4)
    return bytes
  }
  for (let number = 1; number <= count; number++)
    table.put(answer(number, { key: spread(number), contentHash: Buffer.alloc(8) }))
  const full = table.bytes
  // Four slabs of 65,536 records of 54 bytes, and three of the index, whose tables are between 64 %
  // and 80 % full.
  t.equal(full, 4 * 65_536 * 54 + 3 * 131_072 * 6)
  const kept = (from = table): number => {
    let found = 0
    for (let number = 1; number <= count; number++) if (from.find(spread(number)) !== -1) found++
    return found
  }
  t.equal(kept(), count)
  t.equal(table.expire(ANSWERED_MS + 100_001, 70_000), 70_000, 'never more than the budget')
  t.equal(table.expire(ANSWERED_MS + 100_001, 70_000), 30_000)
  t.equal(table.size, 100_000)
  t.equal(kept(), 100_000)
  t.equal(table.find(spread(100_000)), -1)
  for (let number = 1; number <= 65_536; number++)
    table.put(answer(number, { key: spread(-number), contentHash: Buffer.alloc(8) }))
  t.equal(table.bytes, full, 'a slab whose answers are gone is used again')
  t.equal(recalled(table, spread(-1))?.approvedAmountCents, 1)
  t.equal(kept(), 100_000)
  const copy = reloaded(table)
  t.equal(kept(copy), 100_000)
  t.equal(recalled(copy, spread(count))?.approvedAmountCents, count)
  t.end()
})

test('a snapshot outlives a change of the order of reasons and deciders', (t) => {
  const table = new RecallTable()
  table.put(answer(1, { declineReason: 'limit_daily', approved: false, decidedBy: 'stand_in' }))
  const [head, records] = [...table.chunks()].map((chunk) => Buffer.from(chunk))
  const written = JSON.parse(head!.toString())
  // As an older version would have written it: another number for the same name.
  const swap = written.reasons.indexOf('limit_daily')
  written.reasons[swap] = written.reasons[0]
  written.reasons[0] = 'limit_daily'
  records![52] = 1
  const decider = written.deciders.indexOf('stand_in')
  written.deciders[decider] = written.deciders[5]
  written.deciders[5] = 'stand_in'
  records![53] = (records![53]! & ~7) | 6
  const copy = new RecallTable()
  copy.load(Buffer.from(JSON.stringify(written)))
  copy.load(records!)
  t.equal(recalled(copy, key(1))?.declineReason, 'limit_daily')
  t.equal(recalled(copy, key(1))?.decidedBy, 'stand_in')
  t.end()
})

test('an answer without a card keeps nothing of another transaction', (t) => {
  const table = new RecallTable()
  table.put(answer(1))
  table.put(answer(1, { transaction: null }))
  const [, records] = [...table.chunks()]
  t.same(records?.subarray(20, 36), Buffer.alloc(16))
  t.end()
})

test('an answer from before 2020 counts as of its first moment', (t) => {
  const table = new RecallTable()
  const first = Date.UTC(2020, 0, 1)
  table.put(answer(1, { receivedAtMs: first - 1 }))
  t.equal(recalled(table, key(1))?.receivedAtMs, first)
  t.equal(table.expire(first, 1), 0, 'one of that very moment stays')
  t.equal(table.expire(first + 1, 0), 0)
  t.equal(table.expire(first + 1, 1), 1)
  t.equal(table.expire(first + 1, 1), 0, 'there is no more')
  t.end()
})

/** Records whose key in slot n are the words `low`, `high` and n. */
function numbered(low: (slot: number) => number, high: (slot: number) => number) {
  const keyOf = (slot: number): Buffer => {
    const words = Buffer.alloc(16)
    words.writeUInt32LE(low(slot), 0)
    words.writeUInt32LE(high(slot), 4)
    words.writeUInt32LE(slot, 8)
    return words
  }
  const holds = (slot: number, key: Buffer): boolean => key.readUInt32LE(8) === slot
  return { keyOf, index: new SlotIndex({ low, high, holds }) }
}

test('an index table grows by a quarter at four fifths, in pieces that are reused', (t) => {
  // A slab is 1,024 pieces of 128 places of six bytes.
  const slab = 1024 * 128 * 6
  const { index, keyOf } = numbered(
    (slot) => slot & 1023,
    (slot) => (slot * 0x9e3779b1) >>> 0,
  )
  const fill = (table: number, from: number, until: number): void => {
    for (let number = from; number < until; number++) index.add(number * 1024 + table)
  }
  const allOf = (table: number, until: number): boolean => {
    for (let number = 0; number < until; number++)
      if (index.find(keyOf(number * 1024 + table)) !== number * 1024 + table) return false
    return index.find(keyOf(until * 1024 + table)) === -1
  }
  t.equal(index.bytes, 0)
  // 1, 2, 3, 4, 5, 7, 9, 12, 15 pieces: 15 stay, and other tables reuse the 43 that it left.
  fill(0, 0, 1500)
  t.ok(allOf(0, 1500))
  for (let table = 1; table < 1010; table++) fill(table, 0, 102)
  t.equal(index.bytes, slab, '15 pieces and 1,009 tables of one')
  fill(1010, 0, 1)
  t.equal(index.bytes, 2 * slab)
  fill(1010, 1, 102)
  for (let table = 1011; table < 1024; table++) fill(table, 0, 102)
  for (let number = 102; number < 409; number++)
    for (let table = 1; table < 1024; table++) fill(table, number, number + 1)
  t.equal(index.bytes, 5 * slab, 'four pieces each, and no more beside them than one table left')
  for (let table = 1; table < 1024; table++) if (!allOf(table, 409)) t.fail('table ' + table)
  t.ok(allOf(0, 1500))
  t.end()
})

test('memory reserved ahead is not reserved again', (t) => {
  const slab = 131_072 * 6
  const { index, keyOf } = numbered(
    (slot) => slot,
    (slot) => (slot * 0x9e3779b1) >>> 0,
  )
  index.reserve(0)
  t.equal(index.bytes, 0)
  // Two pieces of 128 for each of 1,024 tables, 65 % full.
  const entries = Math.floor(1024 * 256 * 0.65)
  index.reserve(entries)
  t.equal(index.bytes, 2 * slab)
  for (let slot = 0; slot < entries; slot++) index.add(slot)
  t.equal(index.bytes, 2 * slab)
  index.reserve(1)
  t.equal(index.bytes, 2 * slab, 'there is as much already')
  index.reserve(entries + 1024)
  t.equal(index.find(keyOf(entries - 1)), entries - 1, 'what was in the tables still is')
  t.equal(index.find(keyOf(entries)), -1)
  t.end()
})

test('keys of one table and one place are distinguished, whichever of them go', (t) => {
  for (const high of [0, 0xffff, 0xffff_ffff, 0x8000_0000]) {
    const { index, keyOf } = numbered(
      () => 7,
      () => high,
    )
    for (let slot = 0; slot < 40; slot++) index.add(slot)
    for (let gone = 0; gone < 40; gone += 3) index.remove(gone)
    const found = Array.from({ length: 40 }, (_, slot) => index.find(keyOf(slot)))
    t.same(
      found,
      Array.from({ length: 40 }, (_, slot) => (slot % 3 === 0 ? -1 : slot)),
    )
  }
  t.end()
})

test('a record is read only if the upper half of a word of its key matches', (t) => {
  const looked: number[] = []
  const keyOf = (slot: number): Buffer => {
    const words = Buffer.alloc(16)
    words.writeUInt32LE(slot * 65_536, 4)
    return words
  }
  const index = new SlotIndex({
    low: () => 0,
    high: (slot) => slot * 65_536,
    holds(slot) {
      looked.push(slot)
      return true
    },
  })
  for (let slot = 1; slot <= 9; slot++) index.add(slot)
  for (let slot = 1; slot <= 10; slot++) index.find(keyOf(slot))
  t.same(looked, [1, 2, 3, 4, 5, 6, 7, 8, 9])
  t.end()
})

test('an index finds exactly the added and not removed keys', (t) => {
  const { index, keyOf } = numbered(
    (slot) => slot & 1,
    (slot) => Math.imul(slot, 0x9e3779b1) >>> 0,
  )
  const held = new Set<number>()
  for (let round = 0; round < 4000; round++) {
    const slot = Math.imul(round, 0x2545f491) >>> 23
    if (held.delete(slot)) index.remove(slot)
    else {
      held.add(slot)
      index.add(slot)
    }
  }
  t.ok(held.size > 50)
  for (let slot = 0; slot < 512; slot++)
    if (index.find(keyOf(slot)) !== (held.has(slot) ? slot : -1)) t.fail('slot ' + slot)
  t.end()
})
