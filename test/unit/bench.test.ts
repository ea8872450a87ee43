// The arithmetic of the bench: pairs, percentiles, ends of answers, and a report that shows its
// figures.
import { Ajv } from 'ajv'
import { test } from 'tap'
import { AnswerReader, ENDLESS, INCOMPLETE, statusIn } from '../../bench/generator/answer.ts'
import { makeRequests } from '../../bench/generator/requests.ts'
import { curveOf, openLatency, percentilesOf } from '../../bench/latency.ts'
import { type Machine, memoryProblem } from '../../bench/machine.ts'
import { accepted, type Findings, isMet } from '../../bench/measured.ts'
import { compare, inTurns, pairsOf } from '../../bench/pairs.ts'
import { page } from '../../bench/report/page.ts'
import { linear, logarithmic, percentiles } from '../../bench/report/scales.ts'
import { flattened } from '../../bench/report/text.ts'
import { NetworkMessage } from '../../shared/schemas/network-message.ts'
import { verifySignature } from '../../shared/signature.ts'

const isMessage = new Ajv({ strict: false }).compile(NetworkMessage)
const NOTHING: Findings = { lines: [], figures: {}, targets: [], flaws: [] }

test('both sides alternate, each first as often as the other, and the median of the ratios counts', async (t) => {
  const order: string[] = []
  const side = (name: string, figures: number[]) => async () => {
    order.push(name)
    return figures.shift() ?? 0
  }
  const rounds = await inTurns(
    { ours: side('A', [10, 30, 20]), theirs: side('B', [10, 10, 40]) },
    3,
  )
  t.equal(order.join(''), 'ABBAAB')
  const compared = compare(rounds, ['ours', 'theirs'], (sample) => sample)
  t.same(compared, { ours: 20, theirs: 10, ratio: 1, each: [1, 3, 0.5] })
  t.same([pairsOf({ quick: false }), pairsOf({ quick: true })], [9, 3])
})

test('a bound holds in its own direction, and NaN meets no bound', (t) => {
  t.ok(isMet(3, { atMost: 3 }))
  t.notOk(isMet(3.1, { atMost: 3 }))
  t.ok(isMet(0.5, { atLeast: 0.5 }))
  t.notOk(isMet(0.4, { atLeast: 0.5 }))
  t.notOk(isMet(Number.NaN, { atMost: 3 }))
  t.notOk(isMet(Number.NaN, { atLeast: 3 }))
  const ratio = { sentence: '', ours: 1, theirs: 1, unit: '', ratio: 1, each: [] }
  t.ok(accepted({ ...NOTHING, ratios: [{ ...ratio, bound: null }] }))
  t.notOk(accepted({ ...NOTHING, ratios: [{ ...ratio, bound: { atLeast: 2 } }] }))
  t.notOk(accepted({ ...NOTHING, targets: [{ sentence: '', ratio: 2, atMost: 1 }] }))
  t.notOk(accepted({ ...NOTHING, flaws: ['the sender was busy'] }))
  t.end()
})

test('latencies of several runs form one curve that ends where too few samples are left', (t) => {
  const [first, second] = [openLatency(), openLatency()]
  for (let us = 1; us <= 1000; us++) (us % 2 === 0 ? first : second).record(us * 10)
  const encoded = [first.encoded(), second.encoded()]
  const told = percentilesOf(encoded)
  t.equal(told.count, 1000)
  t.ok(Math.abs(told.p50 - 5) < 0.01, 'p50 ' + told.p50)
  t.ok(Math.abs(told.p99 - 9.9) < 0.02, 'p99 ' + told.p99)
  const curve = curveOf(encoded, { chart: 'c', name: 'n' })
  t.equal(curve.points.at(-1)?.[0], 99.8)
  t.ok(Math.abs(curve.max - 10) < 0.02)
  t.same(percentilesOf([openLatency().encoded()]).max, 0, 'nothing was measured')
  t.end()
})

test('an answer ends where its length says, also in parts and with another shape than the last', (t) => {
  const reader = new AnswerReader()
  const total = (text: string): number => reader.total(Buffer.from(text), text.length)
  const answer = (length: number, more = ''): string =>
    'HTTP/1.1 200 OK\r\n' + more + 'Content-Length: ' + length + '\r\n\r\n' + 'x'.repeat(length)
  for (const text of [answer(12), answer(34), answer(5), answer(120), answer(12, 'A: b\r\n')])
    t.equal(total(text), text.length, text)
  const whole = answer(40)
  for (let cut = 1; cut < whole.length; cut++) {
    const found = total(whole.slice(0, cut))
    t.ok(found === INCOMPLETE || found === whole.length, 'cut at ' + cut)
  }
  t.equal(total('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'), ENDLESS)
  t.equal(statusIn(Buffer.from('HTTP/1.1 503 Service Unavailable')), 503)
  t.end()
})

test('requests are sent unchanged; network messages have an id, a card and a signature each', (t) => {
  const requests = ['GET / HTTP/1.1\r\n\r\n', 'GET /é HTTP/1.1\r\n\r\n']
  t.same(makeRequests({ kind: 'whole', requests }).map(String), requests)

  const cards = [{ token: 'one' }, { token: 'two' }]
  const directory = t.testdir({ 'cards.json': JSON.stringify(cards) })
  const credentials = { key_id: 'nkey_1', secret: 'nsec_x' }
  const change = { amount_cents: 7 }
  const cardsFile = directory + '/cards.json'
  const made = makeRequests({ kind: 'network', count: 4, cardsFile, credentials, change })
  const ids = new Set<string>()
  for (const [at, bytes] of made.entries()) {
    const [head = '', body = ''] = bytes.toString().split('\r\n\r\n')
    t.match(head, 'Content-Length: ' + Buffer.byteLength(body))
    const header = /Svc-Signature: (.*)/.exec(head)?.[1] ?? ''
    const nowS = Number(/t=(\d+)/.exec(header)?.[1])
    const signed = { header, body: Buffer.from(body), secrets: [credentials.secret], nowS }
    t.equal(verifySignature(signed), null)
    const message = JSON.parse(body)
    t.ok(isMessage(message))
    t.match(message, { ...change, card: cards[at % 2] })
    ids.add(message.id).add(message.network_transaction_id)
  }
  t.equal(ids.size, 8)
  t.end()
})

test('a directory in memory is refused with a remedy', (t) => {
  for (const type of [0x01021994, 0x858458f6]) {
    const problem = memoryProblem('/somewhere', () => type)
    t.match(problem, /\/somewhere is (tmpfs|ramfs).*BENCH_DIR=/)
  }
  t.equal(
    memoryProblem('/somewhere', () => 0xef53),
    null,
  )
  t.end()
})

test('scales place values correctly, with ticks at round numbers', (t) => {
  const even = linear(87)
  t.same(
    even.ticks.map(({ value }) => value),
    [0, 20, 40, 60, 80, 100],
  )
  t.equal(even.at(50), 0.5)
  t.equal(linear(0).at(0), 0)
  const factors = logarithmic([1, 100])
  t.ok(Math.abs(factors.at(10) - 0.5) < 1e-9)
  t.equal(factors.at(0), 0)
  t.ok(logarithmic([]).ticks.length > 0)
  const nines = percentiles(99.9)
  const step = nines.at(99) - nines.at(90)
  t.ok(
    Math.abs(nines.at(99.9) - nines.at(99) - step) < 1e-9,
    'each nine is as far as the one before',
  )
  t.equal(nines.at(100), 1)
  t.end()
})

test('every number of the figures is a row; the report loads nothing and escapes its texts', (t) => {
  t.same(flattened({ a: { b: 1234.5, c: [1, 2] }, d: [{ e: 'x' }], f: null }), [
    { name: 'a · b', text: '1,235' },
    { name: 'a · c', text: '1, 2' },
    { name: 'd · 0 · e', text: 'x' },
  ])
  const nasty = '<script src="http://elsewhere/x.js"></script>\'&'
  const findings: Findings = {
    lines: [nasty],
    figures: { [nasty]: 1, text: nasty },
    targets: [{ sentence: nasty, ratio: 1, atMost: 1 }],
    flaws: [nasty],
    ratios: [
      { sentence: nasty, ours: 1, theirs: 2, unit: nasty, ratio: 0.5, each: [], bound: null },
    ],
    curves: [{ chart: nasty, name: nasty, unit: nasty, points: [[50, 1]], max: 2 }],
    series: [
      { chart: nasty, x: nasty, y: nasty, logX: true, lines: [{ name: nasty, points: [[1, 1]] }] },
    ],
    stages: [
      { chart: nasty, unit: nasty, rows: [{ name: nasty, parts: [{ name: nasty, value: 1 }] }] },
    ],
  }
  const bench = { name: nasty, summary: nasty, command: nasty, seconds: 1, findings }
  const html = page({
    date: nasty,
    command: nasty,
    machine: MACHINE,
    benches: [bench],
    left: [nasty],
    pending: [nasty],
    worse: [nasty],
  })
  t.notMatch(html, /<script/)
  t.notMatch(html, /(src|href)="?(https?:|\/\/)/)
  t.match(html, /0 of 1 targets met, 1 of 1 benches invalid/)
  t.match(html, /0123abc/)
  t.end()
})

const MACHINE: Machine = {
  cpu: 'a processor',
  processors: 2,
  memory_gb: 8,
  kernel: '6.1',
  node: 'v22',
  commit: '0123abc',
  changed: false,
  load: 0,
  quiet: true,
  sync: { p50_us: 100, p99_us: 200, file_system: 'ext4' },
  command: 'npm run bench',
  date: '2026-11-20',
}
