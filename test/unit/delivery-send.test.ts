// The parts of sending: the reading of Retry-After, the choice of a thread, the transfer to it, and
// the caches.

import { test } from 'tap'
import { composeRequest } from '../../api/webhooks/delivery/compose.ts'
import { rememberingUnseal } from '../../api/webhooks/delivery/open-leased.ts'
import { createRecent } from '../../api/webhooks/delivery/recent.ts'
import { retryAfterMs } from '../../api/webhooks/delivery/retry-after.ts'
import { laneOf } from '../../api/webhooks/delivery/sender.ts'
import { TenantQueue } from '../../api/webhooks/delivery/tenant-queue.ts'
import { pack, unpack } from '../../api/webhooks/delivery/worker-batch.ts'
import { claimedDelivery } from '../harness/claimed-delivery.ts'
import { fc } from '../harness/properties.ts'

const NOW = Date.parse('2026-11-20T10:00:00Z')

test('Retry-After is read in seconds and in every spelling of a date, from 429 and 503 only', (t) => {
  const read: readonly [status: number, header: string | undefined, expected: number | null][] = [
    [429, '7', 7000],
    [503, '7', 7000],
    [429, ' 120 ', 120_000],
    [429, '0', 0],
    [429, '999999999', 999_999_999_000],
    [500, '7', null],
    [200, '7', null],
    [301, '7', null],
    [429, undefined, null],
    [429, '', null],
    [429, '-1', null],
    [429, '1.5', null],
    [429, '1e3', null],
    [429, '0x10', null],
    [429, '9999999999', null],
    [429, 'soon', null],
    [429, '7, 8', null],
    [503, 'Fri, 20 Nov 2026 10:00:30 GMT', 30_000],
    [503, 'Friday, 20-Nov-26 10:01:00 GMT', 60_000],
    [503, 'Fri Nov 20 10:00:05 2026', 5000],
    [503, 'Fri Nov  6 10:00:05 2026', 0],
    [503, 'Fri, 20 Nov 2026 09:00:00 GMT', 0],
    [503, 'Fri, 20 Nov 2026 10:00:30 PST', null],
    [503, 'Fri, 20 Nov 2026 10:00:30', null],
    [503, 'Fri, 99 Nov 2026 10:00:30 GMT', null],
    [503, '2026-11-20T10:00:30Z', null],
    [503, '20 Nov 2026', null],
  ]
  t.same(
    read.map(([status, header]) => [status, header, retryAfterMs(status, header, NOW)]),
    read,
  )
  t.end()
})

test('a replay, a recovery and a test are marked in the headers', (t) => {
  const headersOf = (cause: 'event' | 'replay' | 'recovery' | 'test') => {
    const { headers } = composeRequest(claimedDelivery({ url: 'https://a.test/', cause }))
    return { replay: headers['svc-replay'], test: headers['svc-test'] }
  }
  t.same(headersOf('event'), { replay: undefined, test: undefined })
  t.same(headersOf('replay'), { replay: 'true', test: undefined })
  t.same(headersOf('recovery'), { replay: 'true', test: undefined })
  t.same(headersOf('test'), { replay: undefined, test: 'true' })
  t.end()
})

test('deliveries survive the transfer to a thread, whatever their bodies, and carry nothing else', (t) => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 5000 }), { maxLength: 20 }), (bodies) => {
      const numbered = bodies.map((bytes, number) => ({
        number,
        posting: claimedDelivery({ url: 'https://a.test/' + number, body: Buffer.from(bytes) }),
      }))
      const parcel = pack(numbered)
      const arrived = unpack(structuredClone(parcel, { transfer: [parcel.bodies] }))
      return arrived.every(({ number, posting }, index) => {
        const sent = numbered[index]?.posting
        return (
          number === index &&
          sent !== undefined &&
          posting.body.equals(sent.body) &&
          posting.url === sent.url &&
          posting.secrets[0] === sent.secrets[0] &&
          posting.tenantId === sent.tenantId &&
          !('leaseToken' in posting) &&
          !('endpointId' in posting)
        )
      })
    }),
  )
  t.same(unpack(pack([])), [])
  t.end()
})

test('tenants take turns in a thread, however many deliveries one of them handed over', (t) => {
  const queue = new TenantQueue<{ tenantId: string; n: number }>()
  for (let n = 0; n < 100; n++) queue.add({ tenantId: 'flood', n })
  const taken = queue.take(8)
  t.strictSame(
    taken.map(({ n }) => n),
    [0, 1, 2, 3, 4, 5, 6, 7],
    'as they came, where nobody else waits',
  )
  for (const tenantId of ['a', 'b', 'a']) queue.add({ tenantId, n: 0 })
  t.strictSame(
    queue.take(7).map(({ tenantId }) => tenantId),
    ['flood', 'a', 'b', 'flood', 'a', 'flood', 'flood'],
  )
  queue.add({ tenantId: 'c', n: 0 })
  t.strictSame(
    queue.take(2).map(({ tenantId }) => tenantId),
    ['flood', 'c'],
    'whoever comes is next but one',
  )
  t.equal(queue.take(1000).length, 100 - 8 - 4 - 1)
  t.ok(queue.empty)
  t.strictSame(queue.take(1), [])
  t.end()
})

test('an endpoint keeps its thread, unless the thread is overloaded or gone', (t) => {
  const calm = () => ({ load: 0, runs: true })
  const lanes = [calm(), calm(), calm(), calm()]
  const own = laneOf(lanes, 'we_1')
  t.equal(laneOf(lanes, 'we_1'), own)
  const used = new Set(Array.from({ length: 100 }, (_, index) => laneOf(lanes, 'we_' + index)))
  t.equal(used.size, 4, 'endpoints are spread')

  own.load = 64
  t.equal(laneOf(lanes, 'we_1'), own, 'a busy thread keeps its own')
  own.load = 65
  t.not(laneOf(lanes, 'we_1'), own, 'an overloaded one does not get more')
  for (const lane of lanes) if (lane !== own) lane.load = 40
  t.equal(laneOf(lanes, 'we_1'), own, 'unless the others have as much to do')

  own.load = 0
  own.runs = false
  const other = laneOf(lanes, 'we_1')
  t.ok(other !== own && other.runs, 'while it is replaced another takes its work')
  for (const lane of lanes) lane.runs = false
  t.equal(laneOf(lanes, 'we_1'), own, 'with nobody there it waits for its own')
  t.end()
})

test('a sealed secret is opened once; a failure is tried again', (t) => {
  const asked: string[] = []
  let opens = false
  const unseal = rememberingUnseal((context, sealed) => {
    asked.push(context + ' ' + sealed)
    return opens ? { ok: true, value: Buffer.from('plain ' + sealed) } : { ok: false, error: 'no' }
  })
  t.same(unseal('a', 's1'), { ok: false, error: 'no' })
  opens = true
  t.same(unseal('a', 's1'), { ok: true, value: Buffer.from('plain s1') })
  t.same(unseal('a', 's1'), { ok: true, value: Buffer.from('plain s1') })
  unseal('b', 's1')
  t.same(asked, ['a s1', 'a s1', 'b s1'])
  t.end()
})

test('the cache of recent values is bounded and drops the oldest', (t) => {
  const recent = createRecent<number>(3)
  for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) recent.keep(name, index)
  t.same(['a', 'b', 'c', 'd'].map(recent.get), [undefined, 1, 2, 3])
  t.end()
})
