import { test } from 'tap'
import { decodeFrame, eachFrameEntry, encodeFrame } from '../../engine/agreement/frame.ts'

/** Entries as a batch holds them: each behind its length. */
function framed(...texts: readonly string[]): Buffer {
  return Buffer.concat(
    texts.flatMap((text) => {
      const length = Buffer.alloc(4)
      length.writeUInt32LE(Buffer.byteLength(text))
      return [length, Buffer.from(text)]
    }),
  )
}

const FRAME = { epoch: 7, first: 41, count: 3, entries: framed('one', 'two two', 'three') }

test('a frame comes back as it was written', (t) => {
  const decoded = decodeFrame(encodeFrame(FRAME))
  if (!decoded.ok) throw new Error(decoded.error)
  t.match(decoded.value, { epoch: 7, first: 41, count: 3 })
  const entries: [number, string][] = []
  eachFrameEntry(decoded.value, (seq, bytes) => entries.push([seq, bytes.toString()]))
  t.same(entries, [
    [41, 'one'],
    [42, 'two two'],
    [43, 'three'],
  ])
  t.end()
})

test('a frame with any bit turned, or cut anywhere, is refused', (t) => {
  const whole = encodeFrame(FRAME)
  const taken: string[] = []
  for (let bit = 0; bit < whole.length * 8; bit++) {
    const turned = Buffer.from(whole)
    turned.writeUInt8(turned.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
    if (decodeFrame(turned).ok) taken.push('bit ' + bit)
  }
  for (let length = 0; length < whole.length; length++)
    if (decodeFrame(whole.subarray(0, length)).ok) taken.push('length ' + length)
  t.same(taken, [])
  t.end()
})
