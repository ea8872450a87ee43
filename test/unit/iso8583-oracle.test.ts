// The same messages through an independent implementation. Where its dialect differs, it is
// configured for ours: digits for the settlement currency, eight bytes of authentication code. It
// always writes both bitmaps.
import { createRequire } from 'node:module'
import { test } from 'tap'
import { decodeMessage, encodeMessage, type IsoMessage } from '../../shared/wire/iso8583/codec.ts'
import type { Fields } from '../../shared/wire/iso8583/fields.ts'
import { anyMessage } from '../harness/iso-messages.ts'
import { fc } from '../harness/properties.ts'

interface Oracle {
  new (
    message: object | null,
    formats: object,
  ): {
    getBufferMessage(): Buffer | { error: string }
    getIsoJSON(bytes: Buffer): { [number: string]: string }
  }
}
const Oracle = createRequire(import.meta.url)('iso_8583') as Oracle

const MAC = { ContentType: 'b', Label: 'MAC', LenType: 'fixed', MaxLen: 16 }
const FORMATS = {
  50: { ContentType: 'n', Label: 'Currency', LenType: 'fixed', MaxLen: 3 },
  64: MAC,
  128: MAC,
}
/** The implementation has no variable field of bytes. */
const NOT_SHARED = [55]
const RUNS = 200

/** A message as the independent implementation writes it down: bytes as hex, the type in 0. */
function asText({ mti, fields }: IsoMessage): { [number: string]: string } {
  const texts: { [number: string]: string } = { 0: mti }
  for (const [number, value] of Object.entries(fields)) {
    texts[number] = typeof value === 'string' ? value : value.toString('hex')
  }
  return texts
}

function framed(bytes: Buffer): Buffer {
  const head = Buffer.alloc(2)
  head.writeUInt16BE(bytes.length)
  return Buffer.concat([head, bytes])
}

test('an independent implementation reads what we write', (t) => {
  fc.assert(
    fc.property(anyMessage(NOT_SHARED), (message) => {
      const bytes = encodeMessage(message) as Buffer
      t.same(new Oracle(null, FORMATS).getIsoJSON(framed(bytes)), asText(message))
    }),
    { numRuns: RUNS },
  )
  t.end()
})

test('we read what an independent implementation writes', (t) => {
  fc.assert(
    fc.property(anyMessage(NOT_SHARED), (message) => {
      const written = new Oracle(asText(message), FORMATS).getBufferMessage()
      t.ok(Buffer.isBuffer(written), JSON.stringify(written))
      t.same(decodeMessage((written as Buffer).subarray(2)), message)
    }),
    { numRuns: RUNS },
  )
  t.end()
})

test('the bytes are equal except for the second bitmap, which it always writes', (t) => {
  fc.assert(
    fc.property(anyMessage(NOT_SHARED), (message) => {
      const fields: Fields = { ...message.fields, 70: '301' }
      const whole = { mti: message.mti, fields }
      const written = new Oracle(asText(whole), FORMATS).getBufferMessage() as Buffer
      t.ok(written.subarray(2).equals(encodeMessage(whole) as Buffer))
    }),
    { numRuns: RUNS },
  )
  t.end()
})
