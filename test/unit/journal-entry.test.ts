import { Packr } from 'msgpackr'
import { test } from 'tap'
import { decodeEntry, type ExpiryEntry, encodeEntry } from '../../shared/wire/journal-entry.ts'
import { cardSuspensionEntry, decisionEntry, lateReplyEntry } from '../harness/entries.ts'

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

/** The same entry as a version to come would write it: with more at the end of every row. */
function lengthened(bytes: Buffer): Buffer {
  const more = (row: unknown): unknown =>
    Array.isArray(row) ? [...row.map((value) => (isRow(value) ? more(value) : value)), 'new'] : row
  const isRow = (value: unknown) => Array.isArray(value) && value.length > 5
  const [kind, format, ...rows] = packr.unpack(bytes)
  return packr.pack([kind, format, ...rows.map(more), ['a row to come']])
}

test('an entry survives its bytes', (t) => {
  for (const entry of ENTRIES) t.same(decodeEntry(encodeEntry(entry)), entry)
  t.end()
})

test('what a newer version added at the end is left behind, and nothing else moves', (t) => {
  for (const entry of ENTRIES) t.same(decodeEntry(lengthened(encodeEntry(entry))), entry)
  t.end()
})

test('an entry of an older version is silent where it said nothing', (t) => {
  const shortened = (bytes: Buffer, row: number, less: number): Buffer => {
    const parts = packr.unpack(bytes)
    return packr.pack(
      parts.map((part: unknown[], at: number) => (at === row ? part.slice(0, -less) : part)),
    )
  }
  const decision = encodeEntry(decisionEntry({ clockOffsetMs: 5 }))
  t.match(decodeEntry(shortened(decision, 2, 1)), { clockOffsetMs: 0 })
  t.match(decodeEntry(shortened(decision, 4, 1)), { card: { windowsId: null, currency: 'USD' } })
  t.match(decodeEntry(shortened(decision, 5, 1)), { decision: { standInPolicyVersion: null } })
  const late = encodeEntry(lateReplyEntry({ disagrees: true }))
  t.match(decodeEntry(shortened(late, 2, 2)), { disagrees: true, requestId: null, sequence: null })
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
