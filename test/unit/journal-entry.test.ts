import { Packr } from 'msgpackr'
import { test } from 'tap'
import { packParts } from '../../shared/wire/decision-writer.ts'
import {
  decodeEntry,
  type ExpiryEntry,
  encodeEntry,
  packEntry,
} from '../../shared/wire/journal-entry.ts'
import { MsgpackWriter } from '../../shared/wire/msgpack-writer.ts'
import { cardSuspensionEntry, decisionEntry, lateReplyEntry } from '../harness/entries.ts'
import { fc } from '../harness/properties.ts'

const packr = new Packr({ useRecords: false })
const { transactionId, effect } = decisionEntry({})
if (transactionId === null || effect === null) throw new Error('an entry of a card')
const expiry: ExpiryEntry = { kind: 'expiry', transactionId, expiredAtMs: 1, effect }
const ENTRIES = [
  decisionEntry({}),
  decisionEntry({ card: null, transactionId: null, effect: null }),
  lateReplyEntry({}),
  expiry,
  cardSuspensionEntry({}),
]

/** The same entry as a future version would write it: with more at the end of every row. */
function lengthened(bytes: Buffer): Buffer {
  const more = (row: unknown): unknown =>
    Array.isArray(row) ? [...row.map((value) => (isRow(value) ? more(value) : value)), 'new'] : row
  const isRow = (value: unknown) => Array.isArray(value) && value.length > 5
  const [kind, format, ...rows] = packr.unpack(bytes)
  return packr.pack([kind, format, ...rows.map(more), ['a row to come']])
}

test('an entry reads back from its bytes', (t) => {
  for (const entry of ENTRIES) t.same(decodeEntry(encodeEntry(entry)), entry)
  t.end()
})

test('shared parts of entries are copied only where they are equal', (t) => {
  const entry = decisionEntry({})
  if (entry.card === null) throw new Error('an entry of a card')
  const parts = packParts(entry.card, entry.decision.meters)
  t.ok(Buffer.from(packEntry(entry, parts)).equals(encodeEntry(entry)))
  const others = [
    decisionEntry({ card: { ...entry.card, last4: '0000' } }),
    decisionEntry({ decision: { ...entry.decision, meters: [] } }),
    decisionEntry({ card: null, transactionId: null, effect: null }),
  ]
  for (const other of others) {
    const mixed = { ...other, ...(other.card !== null && { card: { ...other.card } }) }
    t.ok(Buffer.from(packEntry(mixed, parts)).equals(encodeEntry(mixed)))
  }
  t.end()
})

test('an addition of a newer version at the end is dropped, and nothing else moves', (t) => {
  for (const entry of ENTRIES) t.same(decodeEntry(lengthened(encodeEntry(entry))), entry)
  t.end()
})

test('an entry of another format, or of an unknown kind, is refused', (t) => {
  const [kind, format, ...rows] = packr.unpack(encodeEntry(lateReplyEntry({})))
  const refused = (...head: number[]) =>
    t.throws(() => decodeEntry(packr.pack([...head, ...rows])), /of an unknown (format|kind), \d/)
  refused(kind, format + 1)
  refused(kind, format - 1)
  refused(5, format)
  refused(0, format)
  t.end()
})

/**
 * The same shape with distinct numbers and texts, so that a field in the wrong place is detected.
 */
function unalike<Value>(value: Value, next = { number: 0 }): Value {
  const other = (leaf: unknown): unknown => {
    if (typeof leaf === 'number') return 1000 + next.number++
    if (typeof leaf === 'string') return leaf.slice(0, 4) + next.number++
    if (Buffer.isBuffer(leaf)) return Buffer.from(leaf).fill(next.number++)
    if (Array.isArray(leaf)) return leaf.map(other)
    if (typeof leaf !== 'object' || leaf === null) return leaf
    return Object.fromEntries(Object.entries(leaf).map(([name, field]) => [name, other(field)]))
  }
  return other(value) as Value
}

test('every field of a decision is read from its own place', (t) => {
  const base = decisionEntry({})
  const tenant = {
    outcome: 'answered_decline' as const,
    endpointId: 'we_1',
    httpStatus: 200,
    latencyMs: 3,
    attempts: 1,
    errorHint: 'hint',
    reason: 'reason',
    approvedAmountCents: 7,
    metadata: { one: 'two', 'drei ü': '€' },
    dropped: ['a', 'b'],
  }
  const message = {
    ...base.message,
    billingAmountCents: 1,
    billingCurrency: 'EUR',
    billingRate: '1.5',
    advice: { approved: true, decidedBy: 'network' as const, code: '00' },
    walletProvider: 'w',
    walletTokenId: 't',
    threeDsId: 'd',
    threeDsClaim: 'authenticated' as const,
    isRepeat: true,
  }
  const fx = { rate: '1', source: 'network' as const, rateAtMs: 5, marginBps: 6, version: 7 }
  const decision = {
    ...base.decision,
    authorizationCode: '123456',
    declineDetail: 'card:lim',
    tenant,
    availableCents: 5,
    standInCap: 'cap',
    standInWould: { approve: false, reason: null },
    shadow: [{ controlId: 'c', version: 2, reason: null }],
    marks: [{ rule: 'card_testing' as const, keep: 3 }],
    standInPolicyVersion: 4,
  }
  const entry = unalike({ ...base, message, fx, decision })
  const written = { ...entry, kind: 'decision' as const, message: { ...entry.message } }
  t.same(decodeEntry(encodeEntry(written)), written)
  t.same(packr.pack(packr.unpack(encodeEntry(written))), encodeEntry(written))
  t.end()
})

test('our writer and the library write the same bytes', (t) => {
  const text = fc.string({ unit: 'grapheme', maxLength: 120 })
  const numbers = fc.oneof(
    fc.integer(),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true }),
    fc.constantFrom(0, 127, 128, 255, 256, 65_535, 65_536, -1, -32, -33, -128, -129, -32_769),
  )
  const leaf = fc.oneof(
    numbers,
    text,
    fc.string({ unit: 'binary-ascii', maxLength: 300 }),
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    fc.integer({ min: 60, max: 70_000 }).map((length) => 'é'.repeat(length)),
  )
  const value = fc.oneof(
    leaf,
    fc.array(leaf, { maxLength: 20 }),
    fc.dictionary(fc.string({ minLength: 1 }), leaf, { noNullPrototype: true }),
  )
  const writer = new MsgpackWriter()
  fc.assert(
    fc.property(value, (any) => {
      writer.begin()
      writer.value(any)
      const [ours, theirs] = [writer.written(), packr.pack(any)]
      if (!ours.equals(theirs)) throw new Error(ours.toString('hex').slice(0, 200))
    }),
    { numRuns: 1000 },
  )
  t.throws(() => writer.value(undefined), /holds no undefined/)
  t.end()
})
