import { test } from 'tap'
import { decodeId, encodeId, newId, newIdBytes } from '../../../shared/id.ts'

test('ids sort by creation time, also within one millisecond', (t) => {
  const ids = Array.from({ length: 10_000 }, (_, index) =>
    newId('x', 1_700_000_000_000 + Math.floor(index / 5000)),
  )
  t.same([...ids].sort(), ids)
  t.equal(new Set(ids).size, ids.length)
  t.end()
})

test('the text of an id encodes its 16 bytes', (t) => {
  const rounds = Array.from({ length: 1000 }, () => newIdBytes(1_700_000_000_000))
  t.ok(rounds.every((bytes) => decodeId(encodeId(bytes))?.equals(bytes)))
  t.equal(decodeId('short'), null)
  t.equal(decodeId('z'.repeat(26)), null)
  t.end()
})

test('a clock set back a little changes no order; one set back by far is followed', (t) => {
  const now = 1_900_000_000_000
  const millis = (bytes: Buffer): number => bytes.readUIntBE(0, 6)
  t.equal(millis(newIdBytes(now)), now)
  t.equal(millis(newIdBytes(now - 290_000)), now)
  t.equal(millis(newIdBytes(now - 600_000)), now - 600_000)
  t.equal(millis(newIdBytes(now - 599_000)), now - 599_000)
  t.end()
})
