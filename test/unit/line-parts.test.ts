import { createHmac } from 'node:crypto'
import { test } from 'tap'
import { DecodedRows } from '../../engine/config-cache/decoded-rows.ts'
import type { RowKind } from '../../engine/config-cache/keys.ts'
import type { Stored } from '../../engine/config-cache/stored.ts'
import type { Line, Pending } from '../../engine/line/line.ts'
import { OpenMessages } from '../../engine/line/open-messages.ts'
import { PendingIncrements } from '../../engine/line/pending-increments.ts'
import { reserve, unreserve } from '../../engine/line/reserve.ts'
import { emptyState, step } from '../../engine/state/decision-state.ts'
import { HmacKey, hmacKeyOf } from '../../shared/hmac-key.ts'
import { signatureHeader, verifySignature } from '../../shared/signature.ts'
import { anyText } from '../harness/any-text.ts'
import { fc } from '../harness/properties.ts'

test('a prepared key signs like the library, whatever it signed before', (t) => {
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
  const texts = fc.array(anyText(900), { maxLength: 4 })
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), texts, (secretBytes, all) => {
      const own = new HmacKey(Buffer.from(secretBytes))
      for (const text of [...all, '4000123412341234', '']) {
        const expected = createHmac('sha256', secretBytes).update(text).digest('hex')
        if (own.hexOf(text) !== expected) throw new Error('another digest of a text')
      }
    }),
  )
  t.equal(hmacKeyOf('one'), hmacKeyOf('one'))
  t.not(hmacKeyOf('one'), hmacKeyOf('other'))
  t.end()
})

test('a header of one time and one to eight signatures is read, and near misses are refused', (t) => {
  const [nowS, body, secrets] = [1_795_176_000, Buffer.from('{}'), ['nsec_1']]
  const signed = signatureHeader(secrets, nowS, body)
  const digest = signed.slice(-64)
  const part = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('t=' + nowS, 't=0', 't=123456789012') },
    { weight: 6, arbitrary: fc.constantFrom('v1=' + digest, 'v1=' + '0'.repeat(64), 'v0=abc') },
    fc.constantFrom('t=', 't', '=', '', 'v1=', 't=+1', 't=-1', 't=1e3', 't=1:', 't=/1', 'tt=1'),
    fc.constantFrom('t=1234567890123', ' t=1', 't=1 ', 'T=1', 't=١', 'v1=' + 'A'.repeat(64)),
    fc.constantFrom('v1=' + 'a'.repeat(63), 'v1=' + 'a'.repeat(65), 'v1=' + 'g'.repeat(64)),
    fc.constantFrom(
      'v1=' + ':'.repeat(64),
      'v1=' + '`'.repeat(64),
      'v1=' + '/'.repeat(64),
      'v12=1',
    ),
  )
  const seen = new Set<string | null>()
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 10 }), (parts) => {
      const times = parts.filter((piece) => piece.startsWith('t='))
      const signatures = parts.filter((piece) => piece.startsWith('v1='))
      const isRead =
        parts.every((piece) => /^[^=]+=/.test(piece)) &&
        times.length === 1 &&
        /^t=\d{1,12}$/.test(times[0] as string) &&
        signatures.length > 0 &&
        signatures.length <= 8 &&
        signatures.every((piece) => /^v1=[0-9a-f]{64}$/.test(piece))
      const isOurs = times[0] === 't=' + nowS && signatures.includes('v1=' + digest)
      const expected = !isRead ? 'malformed_header' : isOurs ? null : 'invalid_signature'
      seen.add(expected)
      const found = verifySignature({ header: parts.join(','), body, secrets, nowS })
      if (found !== expected) throw new Error(found + ' instead of ' + expected)
    }),
    { numRuns: 5000 },
  )
  t.equal(seen.size, 3, 'each of them came')
  t.equal(verifySignature({ header: '', body, secrets, nowS }), 'malformed_header')
  const long = signed + ',x=' + 'y'.repeat(1024)
  t.equal(verifySignature({ header: long, body, secrets, nowS }), 'malformed_header')
  t.end()
})

test('a message key is open from its first message to its last, despite collisions', (t) => {
  const messages = Array.from({ length: 600 }, (_, number) => {
    const messageKey = Buffer.alloc(16)
    // Keys that collide in the table, also across its end.
    messageKey.writeUInt32LE(((number % 5) * 0x1000 - 2) >>> 0, 0)
    messageKey.writeUInt32LE(number, 12)
    return { message: { messageKey } } as Pending
  })
  fc.assert(
    fc.property(fc.array(fc.nat(599), { maxLength: 300 }), (turns) => {
      const open = new OpenMessages()
      const model = new Set<number>()
      for (const number of turns) {
        const pending = messages[number] as Pending
        if (model.delete(number)) open.delete(pending)
        else {
          model.add(number)
          open.add(pending)
          open.add(pending)
        }
      }
      if (open.size !== model.size) throw new Error(open.size + ' instead of ' + model.size)
      for (const [number, pending] of messages.entries()) {
        const found = open.find(pending.message.messageKey)
        if (found !== (model.has(number) ? pending : null)) throw new Error('message ' + number)
      }
    }),
    { numRuns: 200 },
  )
  const many = new OpenMessages()
  const keys = Array.from({ length: 5000 }, (_, number) => {
    const messageKey = Buffer.alloc(16)
    messageKey.writeUInt32LE(Math.imul(number, 0x9e3779b1) >>> 0, 0)
    return { message: { messageKey } } as Pending
  })
  for (const pending of keys) many.add(pending)
  t.equal(many.size, 5000)
  t.ok(keys.every((pending) => many.find(pending.message.messageKey) === pending))
  many.delete(messages[0] as Pending)
  t.equal(many.size, 5000, 'what never was open is not closed')
  t.end()
})

test('a reservation is returned once, and a missing one is not', (t) => {
  const line = { state: emptyState() } as Line
  const keys = [['card_1', 'UTC', 'USD', 20261120] as const]
  step(line.state, { type: 'reserve', keys, amount: 500, count: 1 })
  const pending = { reservation: { keys, amountCents: 70, count: 1 } } as unknown as Pending
  const waiting = (): number => line.state.meters.reserved(0, 0, 20261120)
  unreserve(line, pending)
  t.equal(waiting(), 500)
  reserve(line, pending)
  t.equal(waiting(), 570)
  unreserve(line, pending)
  unreserve(line, pending)
  t.equal(waiting(), 500)
  reserve(line, { reservation: null } as Pending)
  t.equal(waiting(), 500)
  t.end()
})

test('an increment counts for the others of its transaction while it is open', (t) => {
  const pendingIncrements = new PendingIncrements()
  const raise = (cents: number, text = 'txn_1') =>
    ({ transactionId: { text }, gathered: { judged: { cardAmountCents: cents } } }) as Pending
  const [first, second, other] = [raise(100), raise(20), raise(3, 'txn_2')]
  const waiting = () => [first, other].map((pending) => pendingIncrements.centsBefore(pending))
  t.same(waiting(), [0, 0])
  for (const pending of [first, second, other]) pendingIncrements.begin(pending)
  t.same(waiting(), [120, 3])
  pendingIncrements.end(first)
  t.same(waiting(), [20, 3])
  pendingIncrements.end(second)
  pendingIncrements.end(second)
  t.same(waiting(), [0, 3])
  t.end()
})

test('a decoded row is cached by kind and id, absence included, until it changes', (t) => {
  const row: Stored = { type: 'removed', version: 1 }
  const rows = new DecodedRows()
  const seen = (kind: RowKind, id: string) => rows.get(kind, id)
  rows.forget('subject', 'a')
  rows.set('subject', 'a', row)
  t.equal(seen('subject', 'a'), undefined, 'what is asked for once is not kept')
  rows.set('fp', 'a', row)
  t.equal(seen('fp', 'a'), undefined, 'and an id of another kind is another row')
  rows.set('subject', 'a', row)
  rows.set('token', 'none', null)
  rows.set('token', 'none', null)
  t.same([seen('subject', 'a'), seen('token', 'none')], [row, null])
  t.same([seen('token', 'a'), seen('subject', 'none')], [undefined, undefined])
  rows.forget('subject', 'a')
  t.equal(seen('subject', 'a'), undefined)
  t.end()
})
