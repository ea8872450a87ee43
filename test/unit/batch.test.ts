import { test } from 'tap'
import {
  BATCH_HEADER_BYTES,
  Batch,
  batchIntact,
  ENTRY_PREFIX_BYTES,
  nextEntry,
  readBatchHeader,
} from '../../engine/journal/batch.ts'
import { fc } from '../harness/properties.ts'

const JOURNAL = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex')
const EPOCH = 7

function sealed(entries: readonly Buffer[], firstSeq: number): Buffer {
  const batch = new Batch(64 * 1024)
  batch.begin(firstSeq, 0)
  for (const entry of entries) batch.add(entry)
  batch.seal(JOURNAL, EPOCH)
  return Buffer.from(batch.buffer.subarray(0, batch.bytes))
}

const anyEntries = fc.array(
  fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  { minLength: 1, maxLength: 20 },
)

test('a batch returns its header and its entries, whatever they contain', (t) => {
  const anySeq = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER - 100 })
  fc.assert(
    fc.property(anyEntries, anySeq, (entries, firstSeq) => {
      const view = sealed(entries, firstSeq)
      const header = readBatchHeader(view, 0, JOURNAL)
      const found: Buffer[] = []
      for (let at = BATCH_HEADER_BYTES; at < view.length; at = nextEntry(view, at))
        found.push(view.subarray(at + ENTRY_PREFIX_BYTES, nextEntry(view, at)))
      return (
        header !== null &&
        header.bytes === view.length &&
        header.epoch === EPOCH &&
        header.firstSeq === firstSeq &&
        header.count === entries.length &&
        batchIntact(view, 0, view.length) &&
        found.every((bytes, index) => bytes.equals(entries[index]!))
      )
    }),
  )
  t.end()
})

test('every single changed bit is detected', (t) => {
  fc.assert(
    fc.property(anyEntries, fc.nat(), (entries, pick) => {
      const view = sealed(entries, 1)
      const bit = pick % (view.length * 8)
      view[bit >> 3]! ^= 1 << (bit & 7)
      const header = readBatchHeader(view, 0, JOURNAL)
      return header === null || header.bytes > view.length || !batchIntact(view, 0, header.bytes)
    }),
    { numRuns: 2000 },
  )
  t.end()
})

test('zeros, another journal and a cut header are not read as a batch', (t) => {
  const view = sealed([Buffer.from('entry')], 1)
  t.equal(readBatchHeader(Buffer.alloc(100), 0, JOURNAL), null)
  t.equal(readBatchHeader(view, 0, Buffer.alloc(16, 1)), null)
  t.equal(readBatchHeader(view.subarray(0, BATCH_HEADER_BYTES - 1), 0, JOURNAL), null)
  t.end()
})

test('a batch reports when the next entry no longer fits', (t) => {
  const batch = new Batch(BATCH_HEADER_BYTES + ENTRY_PREFIX_BYTES + 10)
  batch.begin(1, 0)
  t.equal(batch.fits(10), true)
  t.equal(batch.fits(11), false)
  batch.add(Buffer.alloc(10))
  t.equal(batch.fits(1), false)
  t.end()
})
