import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'tap'
import { openLeased } from '../../api/webhooks/delivery/open-leased.ts'
import { deflatedBody, sentBody } from '../../api/webhooks/events/event-body.ts'
import { fc } from '../harness/properties.ts'

const DICTIONARY = new URL('../../api/webhooks/events/event-body.dictionary-1.txt', import.meta.url)
/**
 * `{"data":{"transaction":{"id":"txn_1","status":"authorized"}}}` as the first release with
 * deflation stores it.
 */
const KEPT = '01ab26d8e506b5d110f908de4155aaadad0500'

test('any deflated text is sent as it was', async (t) => {
  const texts = fc.oneof(fc.string({ unit: 'grapheme' }), fc.json())
  fc.assert(fc.property(texts, (text) => String(sentBody(deflatedBody(text))) === text))
  const usual = readFileSync(DICTIONARY, 'utf8').repeat(3)
  t.equal(String(sentBody(deflatedBody(usual))), usual)
})

test('a body stored without deflation is sent unchanged', async (t) => {
  for (const text of ['{}', '{"id":"evt_1"}']) t.equal(String(sentBody(Buffer.from(text))), text)
})

test('the dictionary stays the one that stored bodies were deflated with', async (t) => {
  const text = '{"data":{"transaction":{"id":"txn_1","status":"authorized"}}}'
  t.equal(String(sentBody(Buffer.from(KEPT, 'hex'))), text)
  const digest = createHash('sha256').update(readFileSync(DICTIONARY)).digest('hex')
  t.equal(digest, '9868f6a99e2980713956e40ded57d7a5b73a2ba2a19884a08ef40813a8c48f22')
})

test('a body in an unknown form is reported and not sent', async (t) => {
  const leased = { sealedSecrets: ['sealed'], id: 'dlv_1' } as unknown as Parameters<
    typeof openLeased
  >[1]
  const opened = (body: Buffer) =>
    openLeased(() => ({ ok: true, value: Buffer.from('whsec_1') }), { ...leased, body })
  const whole = deflatedBody('{"id":"evt_1"}')
  t.match(opened(whole), {
    ok: true,
    value: { body: Buffer.from('{"id":"evt_1"}'), secrets: ['whsec_1'] },
  })
  const [cut, newer] = [whole.subarray(0, 6), Buffer.from([2, ...whole.subarray(1)])]
  for (const body of [cut, newer, Buffer.of(1)])
    t.match(opened(body), { ok: false, error: /^the body cannot be read: / })
})
