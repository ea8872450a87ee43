// Row 21: a tenant that makes every mistake a tenant could make, all at once, beside cards that ask
// no tenant.
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { type Network, openNetwork } from '../../scripts/simulate/network.ts'
import { systemClock } from '../../shared/clock.ts'
import { AUTH_BUDGET_MS } from '../../shared/limits.ts'
import type { Behaviour } from '../fakes/tenant.ts'
import { changeConfig, coveredAfter } from './config-change.ts'
import type { FaultRun, Findings } from './fault.ts'
import { authorization } from './load.ts'
import { type Stack, startStack } from './stack.ts'
import { openWitness } from './witness.ts'

const ANSWER_MS_MAX = AUTH_BUDGET_MS + 20
/** The time that a busy machine adds. */
const SLACK_MS = 700
const GOOD_P99_MS_MAX = 500
const GROWTH_BYTES_MAX = 200 * 1024 * 1024
const FLOOD_BYTES = 2 * 1024 ** 3
const FLOODED_BYTES_MAX = 64 * 1024 ** 2
const MERCHANT = 'evil_'

type Expected = 'stand_in' | 'approve' | 'decline' | 'either'

interface Evil {
  name: string
  act: Behaviour
  expect: Expected
}

const said = (body: string | Uint8Array, more: object = {}): Behaviour => ({
  kind: 'reply',
  body,
  ...more,
})

const EVIL: readonly Evil[] = [
  { name: 'nothing at all', act: { kind: 'hang' }, expect: 'stand_in' },
  { name: 'no bytes', act: said(''), expect: 'stand_in' },
  {
    name: '1 B/s',
    act: { kind: 'drip', body: '{"approve":false}', everyMs: 1000 },
    expect: 'stand_in',
  },
  { name: 'just in time', act: said('{"approve":false}', { afterMs: 1200 }), expect: 'decline' },
  { name: 'at 1499 ms', act: said('{"approve":false}', { afterMs: 1497 }), expect: 'either' },
  { name: 'at 1501 ms', act: said('{"approve":false}', { afterMs: 1501 }), expect: 'either' },
  { name: 'late', act: said('{"approve":false}', { afterMs: 1800 }), expect: 'stand_in' },
  {
    name: 'a redirect',
    act: said('{"approve":false}', { status: 307, headers: { location: '/elsewhere' } }),
    expect: 'stand_in',
  },
  { name: 'a 500', act: said('{"approve":false}', { status: 500 }), expect: 'stand_in' },
  { name: 'a 204', act: said('', { status: 204 }), expect: 'stand_in' },
  { name: '2 GB', act: { kind: 'flood', bytes: FLOOD_BYTES }, expect: 'stand_in' },
  {
    name: 'a gzip bomb',
    act: said(gzipSync(Buffer.alloc(10 * 1024 ** 2, 0x20)), {
      headers: { 'content-encoding': 'gzip' },
    }),
    expect: 'stand_in',
  },
  { name: 'no JSON', act: said('{"approve":fal'), expect: 'stand_in' },
  { name: 'approve as text', act: said('{"approve":"false"}'), expect: 'stand_in' },
  { name: 'an empty object', act: said('{}'), expect: 'stand_in' },
  { name: 'a thousand arrays deep', act: said('['.repeat(1000)), expect: 'stand_in' },
  { name: 'both', act: said('{"approve":true,"approve":false}'), expect: 'decline' },
  { name: 'a prototype', act: said('{"__proto__":{"approve":true}}'), expect: 'stand_in' },
  { name: 'RST before a byte', act: { kind: 'reset', when: 'before_reply' }, expect: 'stand_in' },
  { name: 'RST within', act: { kind: 'reset', when: 'within_body' }, expect: 'stand_in' },
  {
    name: 'half a head, kept open',
    act: { kind: 'raw', bytes: 'HTTP/1.1 200 OK\r\ncontent-le', keepOpen: true },
    expect: 'stand_in',
  },
  {
    name: 'a head of 100 KB',
    act: { kind: 'raw', bytes: 'HTTP/1.1 200 OK\r\nx: ' + 'y'.repeat(100_000) + '\r\n\r\n' },
    expect: 'stand_in',
  },
  {
    name: 'a chunk that never ends',
    act: {
      kind: 'raw',
      bytes: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffffff\r\n{"approve":',
      keepOpen: true,
    },
    expect: 'stand_in',
  },
  {
    name: 'no HTTP',
    act: { kind: 'raw', bytes: '\0\x01\x02 approve \r\n\r\n' },
    expect: 'stand_in',
  },
]
const YES: Evil = { name: 'a yes', act: said('{"approve":true}'), expect: 'approve' }
/** Fewer failures in a row than open a breaker. */
const BATCH = 8

/** Bad addresses of an endpoint, in addition to servers that behave badly. */
const ADDRESSES: readonly { name: string; url: (port: number) => string }[] = [
  { name: 'TLS to a server without', url: (port) => 'https://127.0.0.1:' + port + '/realtime' },
  { name: 'a name nobody knows', url: () => 'http://nobody.invalid/realtime' },
  { name: 'a port nobody listens on', url: () => 'http://127.0.0.1:1/realtime' },
]

export async function evilTenant(t: FaultRun): Promise<Findings> {
  const stack = await startStack(t, { behave: ({ body }) => behaviourFor(body) })
  const network = openNetwork(
    { engine_url: stack.engineUrl, network: stack.secrets.network },
    systemClock,
    256,
  )
  await network.warm()
  const good = openWitness(stack, ['load_plain_1', 'limited_plain'].map(stack.card), {
    senders: 4,
    pauseMs: 5,
  })
  const end = new AbortController()
  const running = good.run(end.signal)
  const before = residentBytes(stack)
  const problems: string[] = []
  const rounds = 2 * t.effort.seconds
  for (let round = 0; round < rounds; round++) {
    for (let from = 0; from < EVIL.length; from += BATCH) {
      const batch = EVIL.slice(from, from + BATCH)
      const asked = batch.map((evil, at) => askAbout(stack, network, evil, from + at))
      problems.push(...(await Promise.all(asked)).flat())
      // As many good answers keep the endpoint's breaker closed; an open one would stop the
      // requests.
      for (let yes = 0; yes < 2 * BATCH; yes++)
        problems.push(...(await askAbout(stack, network, YES, yes)))
    }
  }
  for (const { name, url } of ADDRESSES) {
    const xid = await changeConfig(
      stack,
      (sql) => sql`update webhook_endpoints set url = ${url(stack.tenant.port)}
        where id = ${stack.secrets.realtime_endpoint.id}`,
    )
    await coveredAfter(stack, xid, 5000)
    const evil: Evil = { name, act: { kind: 'hang' }, expect: 'stand_in' }
    problems.push(...(await askAbout(stack, network, evil, 0)))
  }
  network.close()
  end.abort()
  await running
  const grown = residentBytes(stack) - before
  if (grown > GROWTH_BYTES_MAX) problems.push('the engine grew by ' + grown + ' bytes')
  if (stack.tenant.floodedBytes() > FLOODED_BYTES_MAX)
    problems.push(stack.tenant.floodedBytes() + ' bytes of a flood were taken')
  if (stack.tenant.requests.some(({ path }) => path === '/elsewhere'))
    problems.push('a redirect was followed')
  const p99 = good.took.getValueAtPercentile(99)
  if (p99 > GOOD_P99_MS_MAX) problems.push('other cards waited: p99 ' + p99 + ' ms')
  problems.push(...(await good.compare()))
  const ways = EVIL.length + ADDRESSES.length
  return {
    injected:
      ways + ' ways to answer badly, ' + rounds + ' times, beside ' + good.answered + ' answers',
    problems,
  }
}

function behaviourFor(body: string): Behaviour {
  const { merchant } = JSON.parse(body).data.transaction
  return EVIL[Number(String(merchant.id).slice(MERCHANT.length))]?.act ?? said('{"approve":true}')
}

async function askAbout(
  stack: Stack,
  network: Network,
  evil: Evil,
  number: number,
): Promise<string[]> {
  const message = authorization(stack.card('load_realtime_' + (1 + (number % 32))), 100 + number)
  const place = { ...message.merchant, id: MERCHANT + EVIL.indexOf(evil) }
  const { answer, tookMs, exchange } = await network.send({ ...message, merchant: place })
  if (answer === null)
    return [
      evil.name +
        ': no answer, ' +
        (exchange.kind === 'broken' ? exchange.problem : exchange.status),
    ]
  const late =
    tookMs > ANSWER_MS_MAX + SLACK_MS ? [evil.name + ': ' + Math.round(tookMs) + ' ms'] : []
  const got: Expected = answer.stand_in ? 'stand_in' : answer.approved ? 'approve' : 'decline'
  const wrong = evil.expect !== 'either' && got !== evil.expect
  return wrong ? [...late, evil.name + ': ' + JSON.stringify(answer)] : late
}

/** Resident memory of the engine in bytes. */
export function residentBytes(stack: Stack): number {
  const text = readFileSync('/proc/' + stack.engineProcess.pid + '/status', 'utf8')
  return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0)
}
