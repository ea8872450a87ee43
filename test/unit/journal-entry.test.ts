import { test } from 'tap'
import { decodeEntry, encodeEntry } from '../../shared/wire/journal-entry.ts'
import { decisionEntry, lateReplyEntry } from '../harness/entries.ts'

test('an entry survives its bytes', (t) => {
  const entries = [
    decisionEntry({}),
    decisionEntry({ card: null, transactionId: null }),
    lateReplyEntry({}),
  ]
  for (const entry of entries) t.same(decodeEntry(encodeEntry(entry)), entry)
  t.end()
})

test('bytes of another format are refused', (t) => {
  const bytes = encodeEntry(lateReplyEntry({}))
  const other = Buffer.from(bytes)
  other[2] = 9
  t.throws(() => decodeEntry(other), /unknown format/)
  t.end()
})
