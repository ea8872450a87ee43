import { test } from 'tap'
import { FrameReader, frameOf } from '../../shared/wire/iso8583/framing.ts'
import { fc } from '../harness/properties.ts'

const LONGEST = 65_535

function readAll(chunks: readonly Buffer[], contentBytesMax = LONGEST) {
  const reader = new FrameReader(contentBytesMax)
  const contents: Buffer[] = []
  const whole = chunks.map((chunk) => reader.read(chunk, (content) => contents.push(content)))
  return { reader, contents, whole }
}

test('frames of 0, 1 and 65535 bytes come out unchanged', (t) => {
  for (const length of [0, 1, 2, 255, 256, LONGEST]) {
    const content = Buffer.alloc(length, 'x')
    const { reader, contents } = readAll([frameOf(content)])
    t.same(contents, [content])
    t.equal(reader.midFrame, false)
  }
  t.end()
})

test('a stream split at every byte gives the same frames', (t) => {
  const frames = [Buffer.from('first'), Buffer.alloc(0), Buffer.from('s'), Buffer.alloc(300, 'y')]
  const stream = Buffer.concat(frames.map(frameOf))
  for (let at = 0; at <= stream.length; at++) {
    const { reader, contents } = readAll([stream.subarray(0, at), stream.subarray(at)])
    t.same(contents, frames)
    t.equal(reader.midFrame, false)
  }
  const single = [...stream].map((byte) => Buffer.from([byte]))
  t.same(readAll(single).contents, frames, 'a byte at a time')
  t.end()
})

test('any stream in any pieces gives its frames', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 600 }), { maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 8 }),
      (contents, sizes) => {
        const stream = Buffer.concat(contents.map((content) => frameOf(Buffer.from(content))))
        const chunks: Buffer[] = []
        for (let at = 0; at < stream.length; ) {
          const size = sizes[chunks.length % sizes.length]!
          chunks.push(stream.subarray(at, at + size))
          at += size
        }
        t.same(
          readAll(chunks).contents,
          contents.map((content) => Buffer.from(content)),
        )
      },
    ),
  )
  t.end()
})

test('a sender that stops inside a frame, or its header, is detected', (t) => {
  const frame = frameOf(Buffer.from('abc'))
  for (let length = 1; length < frame.length; length++) {
    const { reader, contents } = readAll([frame.subarray(0, length)])
    t.same(contents, [])
    t.equal(reader.midFrame, true)
  }
  t.end()
})

test('a frame longer than a message may be ends the reading for good', (t) => {
  const good = frameOf(Buffer.from('good'))
  const { contents, whole } = readAll(
    [good, Buffer.from([0xff, 0xff]), Buffer.alloc(100), good],
    1000,
  )
  t.same(
    contents.map((content) => content.toString()),
    ['good'],
  )
  t.same(whole, [true, false, false, false])
  t.same(readAll([frameOf(Buffer.alloc(1001))], 1000).whole, [false], 'one byte too many')
  t.same(readAll([frameOf(Buffer.alloc(1000))], 1000).contents.length, 1)
  t.end()
})
