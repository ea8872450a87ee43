import { test } from 'tap'
import type { Exchange } from '../../scripts/simulate/connection-pool.ts'
import { differences, matching, oneOf } from '../../scripts/simulate/differences.ts'
import { ResponseReader } from '../../scripts/simulate/http-response.ts'
import { openLatency } from '../../scripts/simulate/latency.ts'
import { judgeLoadAnswer } from '../../scripts/simulate/load-check.ts'
import { openScore } from '../../scripts/simulate/load-score.ts'
import type { IsoMessage } from '../../shared/wire/iso8583/codec.ts'
import type { Fields } from '../../shared/wire/iso8583/fields.ts'

const SENT = { index: 0, id: 'msg_1', amountCents: 100, realtime: false }
const APPROVED = {
  message_id: 'msg_1',
  transaction_id: 'txn_1',
  approved: true,
  approved_amount_cents: 100,
  response_code: '00',
  authorization_code: '123456',
  decline_reason: null,
  decided_by: 'static_controls',
  stand_in: false,
}
const LIMITED = {
  ...APPROVED,
  approved: false,
  approved_amount_cents: 0,
  response_code: '61',
  authorization_code: null,
  decline_reason: 'limit_daily',
}

function exchange(body: unknown, status = 200): Exchange {
  const bytes = Buffer.from(JSON.stringify(body))
  return { kind: 'response', status, headers: new Map(), body: bytes, closes: false }
}

const ISO_APPROVED = { 4: '000000000100', 38: '123456', 39: '00', 63: 'ntx_1' }

function overIso(change: Fields, mti: IsoMessage['mti'] = '0110') {
  const message: IsoMessage = { mti, fields: { ...ISO_APPROVED, ...change } }
  return judgeLoadAnswer(SENT, { kind: 'iso', message, bytes: Buffer.alloc(0) })
}

test('an answer of the load over ISO 8583 is right only if every field is', (t) => {
  t.same(overIso({}), { outcome: 'approved', problem: null })
  t.same(overIso({ 39: '61' }).problem, null, 'the load may use limits up')
  const wrong = [
    overIso({ 4: '000000000099' }),
    overIso({ 38: '12 456' }),
    overIso({ 39: '05' }),
    overIso({ 63: 'ntx_2' }),
    overIso({}, '0130'),
  ]
  for (const { problem } of wrong) t.ok(problem)
  t.equal(overIso({ 39: '91' }).outcome, 'refused: 91')
  t.end()
})

test('an expectation names part of an answer and every difference is a sentence', (t) => {
  const actual = { approved: false, code: '05', by: { name: 'tenant' }, list: [1, 2], extra: 1 }
  t.same(differences({ approved: false, by: { name: 'tenant' }, list: [1, 2] }, actual), [])
  t.same(differences({ code: oneOf('05', '51'), by: { name: matching(/^ten/) } }, actual), [])
  t.same(differences({ approved: true, by: { name: 'us' }, list: [1], gone: null }, actual), [
    'approved: expected true, got false',
    'by.name: expected "us", got "tenant"',
    'list.length: expected 1, got 2',
    'gone: expected null, got nothing',
  ])
  t.same(differences({ by: { name: 1 } }, { by: null }), ['by: expected an object, got null'])
  t.end()
})

test('an answer of the load is right only if every part is', (t) => {
  const problemOf = (change: object, sent = SENT) =>
    judgeLoadAnswer(sent, exchange({ ...APPROVED, ...change })).problem
  t.equal(problemOf({}), null)
  t.equal(judgeLoadAnswer(SENT, exchange(LIMITED)).problem, null, 'the load may use limits up')
  const wrong = [
    problemOf({ message_id: 'msg_2' }),
    problemOf({ approved_amount_cents: 99 }),
    problemOf({ response_code: '10' }),
    problemOf({ authorization_code: null }),
    problemOf({ transaction_id: null }),
    problemOf({ stand_in: undefined }),
    problemOf({ stand_in: true, decided_by: 'stand_in' }),
    problemOf({ decided_by: 'tenant' }),
    problemOf({ ...LIMITED, response_code: '05' }),
    problemOf({ ...LIMITED, approved_amount_cents: 100 }),
    problemOf({ ...LIMITED, decline_reason: 'card_suspended', response_code: '62' }),
    judgeLoadAnswer(SENT, exchange({ error: { code: 'overloaded' } }, 503)).problem,
    judgeLoadAnswer(SENT, exchange('yes')).problem,
    judgeLoadAnswer(SENT, { kind: 'broken', problem: 'ECONNRESET' }).problem,
  ]
  t.same(
    wrong.filter((problem) => problem === null),
    [],
  )
  const silent = { stand_in: true, decided_by: 'stand_in' }
  t.equal(problemOf(silent, { ...SENT, realtime: true }), null)
  t.end()
})

test('a message answered twice, or never, is a mismatch', (t) => {
  const score = openScore(2)
  score.add(SENT, exchange(APPROVED), 1000)
  t.equal(score.result().mismatches.count, 0)
  score.add(SENT, exchange(APPROVED), 1000)
  score.addUnanswered(1)
  t.same(score.result().mismatches, {
    count: 2,
    examples: ['msg_1: answered more than once', '1 messages were never answered'],
  })
  t.end()
})

test('percentiles are those of the recorded latencies within a thousandth', (t) => {
  const latency = openLatency()
  t.equal(latency.percentiles().p99_ms, 0, 'nothing recorded')
  for (let us = 1; us <= 100_000; us++) latency.record(us)
  const { count, p50_ms, p90_ms, p99_ms, p99_9_ms, p99_99_ms, max_ms } = latency.percentiles()
  t.equal(count, 100_000)
  for (const [actual, expected] of [
    [p50_ms, 50],
    [p90_ms, 90],
    [p99_ms, 99],
    [p99_9_ms, 99.9],
    [p99_99_ms, 99.99],
  ] as const) {
    t.ok(Math.abs(actual - expected) / expected < 0.001, actual + ' is about ' + expected)
  }
  t.equal(max_ms, 100)
  latency.record(10 ** 12)
  t.equal(latency.percentiles().max_ms, 60_000, 'longer than a minute counts as a minute')
  t.end()
})

test('answers are read whole however the bytes are split', (t) => {
  const text =
    'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}'
  for (let cut = 1; cut < text.length; cut++) {
    const reader = new ResponseReader()
    const early = reader.read(Buffer.from(text.slice(0, cut)))
    const whole = reader.read(Buffer.from(text.slice(cut)))
    if (early !== null || whole?.kind !== 'response' || whole.body.toString() !== '{"a":1}')
      t.fail('cut at ' + cut)
  }
  const read = (bytes: string) => new ResponseReader().read(Buffer.from(bytes))?.kind
  t.equal(read(text + 'HTTP/1.1 200 OK'), 'broken', 'a second answer to one message')
  t.equal(read('HTTP/1.1 200 OK\r\n\r\n'), 'broken', 'no length')
  t.equal(read('SSH-2.0-OpenSSH\r\n\r\n'), 'broken', 'another protocol')
  t.equal(read('x'.repeat(20_000)), 'broken', 'a head without an end')
  t.end()
})
