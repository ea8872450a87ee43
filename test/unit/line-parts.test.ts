import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { test } from 'tap'
import { DecodedRows } from '../../engine/facts/decoded-rows.ts'
import type { Stored } from '../../engine/facts/stored.ts'
import { HmacKey, hmacKeyOf } from '../../shared/hmac-key.ts'

test('a key kept ready signs what the library signs, whatever was signed before', (t) => {
  const secret = fc.string({ unit: 'grapheme', maxLength: 200 })
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.uint8Array({ minLength: 1900, maxLength: 9000 }),
  )
  const signed = fc.tuple(fc.integer({ min: 0, max: 2 ** 40 }), body)
  fc.assert(
    fc.property(secret, fc.array(signed, { minLength: 1, maxLength: 5 }), (text, messages) => {
      const key = new HmacKey(text)
      for (const [at, bytes] of messages) {
        const expected = createHmac('sha256', text)
          .update(at + '.')
          .update(bytes)
          .digest('hex')
        if (key.hex(at + '.', bytes) !== expected) throw new Error('another signature')
      }
    }),
  )
  t.equal(hmacKeyOf('one'), hmacKeyOf('one'))
  t.not(hmacKeyOf('one'), hmacKeyOf('other'))
  t.end()
})

test('rows asked for stay, others make room, and a changed one is read again', (t) => {
  const row = (version: number): Stored => ({ type: 'removed', version })
  const rows = new DecodedRows(2)
  t.equal(rows.get('card', 'a'), undefined)
  rows.set('card', 'a', row(1))
  rows.set('card', 'b', null)
  t.same(rows.get('card', 'a'), row(1))
  t.equal(rows.get('card', 'b'), null, 'that there is none is known, too')
  rows.set('card', 'c', row(3))
  t.same(rows.get('card', 'a'), row(1), 'the older half is still there, and is asked for')
  rows.set('card', 'd', row(4))
  t.equal(rows.get('card', 'b'), undefined, 'what nobody asked for is gone')
  t.same(rows.get('card', 'a'), row(1))
  rows.forget('card', 'a')
  t.equal(rows.get('card', 'a'), undefined)
  t.equal(rows.get('token', 'c'), undefined, 'an id of another kind is another row')
  t.end()
})
