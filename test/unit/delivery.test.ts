// Turns, pace and outcome of attempts: the parts of delivery that need no database.

import { test } from 'tap'
import { Allowance } from '../../api/webhooks/delivery/allowance.ts'
import { composeRequest } from '../../api/webhooks/delivery/compose.ts'
import { createConcurrencyLimits, effectOf } from '../../api/webhooks/delivery/concurrency-limit.ts'
import type { ClaimedDelivery, Posting } from '../../api/webhooks/delivery/delivery.ts'
import {
  createFairScheduler,
  type FairScheduler,
  type Share,
  type Turn,
} from '../../api/webhooks/delivery/fair-scheduler.ts'
import {
  afterFanOut,
  fanOutQuota,
  paceAfter,
  paceOpensAt,
  paceQuota,
  SENDS_PER_SECOND_MAX,
} from '../../api/webhooks/delivery/pace.ts'
import { signRequest } from '../../api/webhooks/delivery/sign.ts'
import { dueAt, judgeAttempt } from '../../api/webhooks/delivery/verdict.ts'
import type { Lane } from '../../shared/event-catalog.ts'
import { standardSignature, verifySignature } from '../../shared/signature.ts'
import { fc } from '../harness/properties.ts'

test('no sliding second holds more than a hundred sends of a tenant, whichever dispatcher lags', (t) => {
  const round = fc.record({
    waitMs: fc.nat(400),
    wanted: fc.nat(150),
    // Each dispatcher has its own allowance, and each delivery leaves at some moment within it.
    allowanceMs: fc.nat(300),
    lags: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 7 }),
  })
  fc.assert(
    fc.property(fc.array(round, { maxLength: 60 }), (rounds) => {
      let now = 1_000_000
      let moments: readonly number[] = []
      const sent: number[] = []
      for (const { waitMs, wanted, allowanceMs, lags } of rounds) {
        now += waitMs
        const count = Math.min(wanted, paceQuota(moments, now, allowanceMs).all)
        moments = paceAfter(moments, now + allowanceMs, count)
        for (let made = 0; made < count; made++)
          sent.push(now + allowanceMs * (lags[made % lags.length] ?? 0))
      }
      sent.sort((a, b) => a - b)
      return sent.every(
        (moment, index) => (sent[index + SENDS_PER_SECOND_MAX] ?? Infinity) - moment >= 1000,
      )
    }),
  )
  const full = new Array(100).fill(5000)
  t.equal(paceQuota([], 0, 0).all, 25, 'an idle tenant has a quarter of its second at once')
  t.equal(paceQuota(full, 5999, 0).all, 0, 'a full second holds no more')
  t.equal(paceQuota(full, 6000, 0).all, 19, 'the next one begins when it is over, and goes evenly')
  t.equal(paceQuota(full, 7000, 0).all, 25, 'a tenant that paused may burst again')
  t.equal(paceQuota(new Array(100).fill(99_000), 6000, 0).all, 25, 'a clock set back binds nobody')
  t.end()
})

test('the next permit is granted at the moment that the pace names, and not before', (t) => {
  const grants = fc.array(fc.record({ waitMs: fc.nat(200), wanted: fc.nat(30) }), {
    minLength: 1,
    maxLength: 40,
  })
  fc.assert(
    fc.property(grants, fc.nat(50), (grants, allowanceMs) => {
      let now = 1_000_000
      let moments: readonly number[] = []
      for (const { waitMs, wanted } of grants) {
        now += waitMs
        const count = Math.min(wanted, paceQuota(moments, now, allowanceMs).all)
        moments = paceAfter(moments, now + allowanceMs, count)
      }
      return ([0, 1] as const).every((lane) => {
        const quota = (at: number) =>
          paceQuota(moments, at, allowanceMs)[lane === 0 ? 'all' : 'bulk']
        const at = paceOpensAt(moments, now, { lane, allowanceMs })
        return quota(at) > 0 && (at === now || quota(at - 1) === 0)
      })
    }),
  )
  t.end()
})

test('events wait for their fan-out while sending is exhausted, but never for long', (t) => {
  const full = { moments: new Array(100).fill(5000), fanOutStep: 50, fannedOut: 9 }
  t.same(fanOutQuota(full, 5100, 0), { all: 0, bulk: 0 }, 'each would wait as a delivery')
  t.same(
    fanOutQuota({ ...full, moments: new Array(100).fill(6000) }, 6200, 0),
    { all: 8, bulk: 8 },
    'retries may fill every second',
  )
  const idle = { moments: [], fanOutStep: 50, fannedOut: 9 }
  t.same(fanOutQuota(idle, 5099, 0), { all: 16, bulk: 0 }, 'the step has nine already')
  t.same(fanOutQuota(idle, 5100, 0), { all: 25, bulk: 9 })
  t.same(afterFanOut(idle, 5099, 4), { ...idle, fannedOut: 13 })
  t.same(afterFanOut(idle, 5100, 4), { ...idle, fanOutStep: 51, fannedOut: 4 })
  t.same(afterFanOut(idle, 5100, 0), idle)
  t.end()
})

test('an allowance follows the worst recent lag, within bounds', (t) => {
  const allowance = new Allowance()
  t.equal(allowance.ms, 25)
  allowance.observe(100)
  t.equal(allowance.ms, 200)
  for (let sent = 0; sent < 1000; sent++) allowance.observe(3)
  t.equal(allowance.ms, 25, 'it fades')
  allowance.observe(60_000)
  t.equal(allowance.ms, 2000)
  t.end()
})

test('bulk never delays the first lane below its share, and never starves', (t) => {
  const rounds = fc.array(
    fc.record({ waitMs: fc.integer({ min: 1, max: 60 }), cards: fc.nat(1) }),
    {
      minLength: 50,
      maxLength: 200,
    },
  )
  fc.assert(
    fc.property(rounds, (rounds) => {
      let now = 1_000_000
      let moments: readonly number[] = []
      const cards: number[] = []
      const bulks: number[] = [now]
      for (const round of rounds) {
        now += round.waitMs
        const recent = cards.filter((moment) => moment > now - 1000).length
        const quota = paceQuota(moments, now, 0)
        // Ten a second are kept for cards: within them a card never waits, however much bulk there
        // is.
        const card = recent < 10 ? round.cards : 0
        if (card > quota.all) return false
        const bulk = Math.min(quota.all - card, quota.bulk)
        moments = paceAfter(moments, now, card + bulk)
        if (card > 0) cards.push(now)
        if (bulk > 0) bulks.push(now)
        if (now - (bulks.at(-1) ?? 0) > 200) return false
      }
      return true
    }),
  )
  t.strictSame(paceQuota([], 0, 0), { all: 25, bulk: 9 }, 'bulk goes evenly')
  t.end()
})

/** Claims from endpoints that each have this many deliveries of each line. */
function claimAll(share: Share, waiting: { lane: Lane; retry: boolean; count: number }[]): Turn[] {
  const { tenantId, endpointId } = share
  const turns: Turn[] = []
  let bulk = 0
  for (const line of waiting) {
    const most = Math.min(
      share.quota - turns.length,
      line.retry ? share.retries[line.lane] : Infinity,
      line.lane === 1 ? share.bulk - bulk : Infinity,
      line.count,
    )
    for (let made = 0; made < most; made++) {
      turns.push({ tenantId, endpointId, lane: line.lane, retry: line.retry })
      bulk += line.lane
    }
    line.count -= Math.max(0, most)
  }
  return turns
}

/** Claims every allowed delivery, as if the supply were endless. */
function claimFresh(scheduler: FairScheduler, slotsMax: number): Turn[] {
  const turns: Turn[] = []
  for (const share of scheduler.take(slotsMax)) {
    const own = claimAll(share, [{ lane: 0, retry: false, count: Infinity }])
    scheduler.claimed(share, own)
    turns.push(...own)
  }
  return turns
}

test('a tenant with a backlog takes turns with the others', (t) => {
  const scheduler = createFairScheduler()
  scheduler.mark('flood', 'flood-endpoint')
  for (const name of ['a', 'b', 'c']) scheduler.mark(name, name + '-endpoint')
  const quotas = new Map(scheduler.take(8).map((share) => [share.tenantId, share.quota]))
  t.strictSame(Object.fromEntries(quotas), { flood: 2, a: 2, b: 2, c: 2 })
  t.end()
})

test('hanging tenants never take the last slot', (t) => {
  const scheduler = createFairScheduler()
  const HANGING = 50
  for (let tenant = 0; tenant < HANGING; tenant++) {
    for (let endpoint = 0; endpoint < 8; endpoint++)
      scheduler.mark('t' + tenant, 't' + tenant + 'e' + endpoint)
  }
  // Every claim finds as many as it may take, and none ever ends.
  for (let round = 0; round < 100; round++) claimFresh(scheduler, 128)
  scheduler.mark('healthy', 'healthy-endpoint')
  t.ok(claimFresh(scheduler, 128).some(({ tenantId }) => tenantId === 'healthy'))
  t.ok(scheduler.admit({ tenantId: 'other', endpointId: 'e', lane: 0, retry: false }))
  t.end()
})

test('hanging endpoints leave slots for their tenant’s other endpoints', (t) => {
  const scheduler = createFairScheduler()
  for (let endpoint = 0; endpoint < 8; endpoint++) scheduler.mark('t', 'hangs' + endpoint)
  for (let round = 0; round < 100; round++) claimFresh(scheduler, 128)
  t.ok(scheduler.inFlight() <= 56)
  scheduler.mark('t', 'healthy')
  t.ok(claimFresh(scheduler, 128).some(({ endpointId }) => endpointId === 'healthy'))
  t.end()
})

test('one endpoint holds sixteen slots at first, and gets them back', (t) => {
  const scheduler = createFairScheduler()
  scheduler.mark('t', 'slow')
  scheduler.mark('t', 'fast')
  const turns = claimFresh(scheduler, 128)
  t.equal(turns.length, 32)
  t.strictSame(scheduler.take(128), [], 'both are full')
  scheduler.finished(turns.find(({ endpointId }) => endpointId === 'fast')!, 'nothing')
  t.match(scheduler.take(128), [{ tenantId: 't', endpointId: 'fast', quota: 1 }])
  t.equal(scheduler.inFlight(), 32, 'what is asked for is taken')
  t.end()
})

test('an endpoint that used less than its share waits for the next mark', (t) => {
  const scheduler = createFairScheduler()
  scheduler.mark('t', 'e')
  const turn = { tenantId: 't', endpointId: 'e', lane: 0, retry: false } as const
  const [share] = scheduler.take(4)
  t.notOk(scheduler.admit(turn), 'while others of it are claimed, nobody overtakes them')
  scheduler.claimed(share!, [turn, turn, turn])
  t.strictSame(scheduler.take(4), [])
  t.ok(scheduler.admit(turn), 'nothing waits before it')
  t.equal(scheduler.inFlight(), 4)
  scheduler.mark('t', 'e')
  t.notOk(scheduler.admit(turn))
  const [again] = scheduler.take(4)
  t.equal(again!.quota, 4)
  scheduler.mark('t', 'e')
  scheduler.claimed(again!, [])
  t.equal(scheduler.take(4).length, 1, 'marked while its claim was under way')
  t.end()
})

test('bulk leaves one slot of its endpoint and twenty of its tenant; retries take 3/4 of a lane', (t) => {
  const scheduler = createFairScheduler()
  for (const name of ['a', 'b', 'c', 'd', 'e']) scheduler.mark('t', name)
  const lines = () => [{ lane: 1, retry: false, count: 100 } as const].map((line) => ({ ...line }))
  for (let round = 0; round < 5; round++)
    for (const share of scheduler.take(128)) scheduler.claimed(share, claimAll(share, lines()))
  t.equal(scheduler.inFlight(), 44)
  scheduler.mark('t', 'a')
  const [share] = scheduler.take(128)
  t.match(share, { endpointId: 'a', bulk: 0 }, 'a card has a slot where bulk has none')

  const other = createFairScheduler()
  other.mark('u', 'recovering')
  const [first] = other.take(128)
  t.strictSame(first?.retries, [4, 4])
  const turns = claimAll(first!, [
    { lane: 0, retry: true, count: 100 },
    { lane: 0, retry: false, count: 100 },
  ])
  t.equal(turns.filter(({ retry }) => retry).length, 4)
  other.claimed(first!, turns)
  t.strictSame(other.take(128), [])
  other.finished(turns.at(-1)!, 'nothing')
  t.strictSame(other.take(128)[0]?.retries, [0, 4], 'a slot of a fresh one is no retry’s')
  t.end()
})

test('a delivery stopped by a limit goes on when another of that limit has finished', (t) => {
  const scheduler = createFairScheduler()
  scheduler.mark('t', 'e')
  const lines = [{ lane: 1, retry: false, count: 100 } as const].map((line) => ({ ...line }))
  const [share] = scheduler.take(128)
  const turns = claimAll(share!, lines)
  t.equal(turns.length, 15)
  scheduler.claimed(share!, turns)
  t.strictSame(scheduler.take(128), [], 'nothing is asked for in vain')
  t.notOk(scheduler.admit({ tenantId: 't', endpointId: 'e', lane: 1, retry: false }))
  scheduler.finished(turns[0]!, 'nothing')
  t.equal(scheduler.take(128)[0]?.bulk, 1)
  t.end()
})

test('no tenant starves and no limit is exceeded, in any order of marks, claims and ends', (t) => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('mark' as const), tenant: fc.nat(5), endpoint: fc.nat(3) }),
    fc.record({
      kind: fc.constant('admit' as const),
      tenant: fc.nat(5),
      endpoint: fc.nat(3),
      lane: fc.constantFrom<Lane>(0, 1),
    }),
    fc.record({
      kind: fc.constant('claim' as const),
      slots: fc.integer({ min: 1, max: 300 }),
      counts: fc.tuple(fc.nat(20), fc.nat(20), fc.nat(20), fc.nat(20)),
    }),
    fc.record({
      kind: fc.constant('finish' as const),
      at: fc.nat(),
      count: fc.nat(40),
      effect: fc.constantFrom('well', 'overloaded', 'nothing'),
    }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const scheduler = createFairScheduler()
      const running: Turn[] = []
      for (const one of steps) {
        if (one.kind === 'mark')
          scheduler.mark('t' + one.tenant, 't' + one.tenant + 'e' + one.endpoint)
        if (one.kind === 'admit') {
          const tenantId = 't' + one.tenant
          const turn: Turn = {
            tenantId,
            endpointId: tenantId + 'e' + one.endpoint,
            lane: one.lane,
            retry: false,
          }
          if (scheduler.admit(turn)) running.push(turn)
        }
        if (one.kind === 'claim') {
          for (const share of scheduler.take(one.slots)) {
            const lines = one.counts.map((count, at) => ({
              lane: (at >> 1) as Lane,
              retry: at % 2 === 0,
              count,
            }))
            const turns = claimAll(share, lines)
            scheduler.claimed(share, turns)
            running.push(...turns)
          }
        }
        if (one.kind === 'finish') {
          for (let made = 0; made < one.count && running.length > 0; made++) {
            const [turn] = running.splice(one.at % running.length, 1)
            scheduler.finished(turn!, one.effect)
          }
        }
        if (!withinLimits(scheduler, running)) return false
      }
      // An endpoint marked now is served at once, or when the others have finished.
      for (let tenant = 0; tenant < 6; tenant++) scheduler.mark('t' + tenant, 't' + tenant + 'e0')
      for (const turn of running) scheduler.finished(turn, 'nothing')
      const served = new Set(scheduler.take(300).map(({ tenantId }) => tenantId))
      return served.size === 6
    }),
    { numRuns: 200 },
  )
  t.end()
})

function withinLimits(scheduler: FairScheduler, running: readonly Turn[]): boolean {
  const count = (of: readonly Turn[], by: (turn: Turn) => string): number =>
    Math.max(0, ...[...Map.groupBy(of, by).values()].map(({ length }) => length))
  const bulk = running.filter(({ lane }) => lane === 1)
  return (
    scheduler.inFlight() === running.length &&
    count(running, ({ tenantId }) => tenantId) <= 64 &&
    count(running, ({ endpointId }) => endpointId) <= 64 &&
    count(bulk, ({ tenantId }) => tenantId) <= 44 &&
    count(bulk, ({ endpointId }) => endpointId) <= 63 &&
    count(
      running.filter(({ retry }) => retry),
      ({ endpointId, lane }) => endpointId + lane,
    ) <= 16
  )
}

test('every marked endpoint is served within as many rounds as endpoints are before it', (t) => {
  const scheduler = createFairScheduler()
  const ENDPOINTS = 500
  for (let at = 0; at < ENDPOINTS; at++) scheduler.mark('t' + (at % 50), 'e' + at)
  const served = new Set<string>()
  for (let round = 0; round < ENDPOINTS / 10; round++) {
    const turns = claimFresh(scheduler, 10)
    for (const turn of turns) {
      served.add(turn.endpointId)
      scheduler.finished(turn, 'well')
    }
  }
  t.equal(served.size, ENDPOINTS)
  t.end()
})

test('a concurrency limit grows by one in twenty good answers and is halved on overload', (t) => {
  const windows = createConcurrencyLimits()
  for (let answer = 0; answer < 39; answer++) windows.learn('e', 'well')
  t.equal(windows.size('e'), 17)
  windows.learn('e', 'well')
  t.equal(windows.size('e'), 18)
  windows.learn('e', 'overloaded')
  t.equal(windows.size('e'), 9)
  for (let answer = 0; answer < 9; answer++) windows.learn('e', 'overloaded')
  t.equal(windows.size('e'), 4)
  for (let answer = 0; answer < 20 * 100; answer++) windows.learn('e', 'well')
  t.equal(windows.size('e'), 64)
  windows.learn('e', 'nothing')
  t.equal(windows.size('e'), 64)
  t.equal(windows.size('other'), 16)
  const effects = [
    effectOf({ status: 200, errorClass: null }),
    effectOf({ status: 429, errorClass: 'http' }),
    effectOf({ status: 503, errorClass: 'http' }),
    effectOf({ status: null, errorClass: 'timeout' }),
    effectOf({ status: 500, errorClass: 'http' }),
    effectOf({ status: null, errorClass: 'connect' }),
  ]
  t.strictSame(effects, ['well', 'overloaded', 'overloaded', 'overloaded', 'nothing', 'nothing'])
  t.end()
})

const SCHEDULE = { delaysMs: [0, 30_000, 300_000, 7_200_000, 79_200_000], random: () => 0 }

test('the schedule is 0, 30 s, 5 min, 2 h, 22 h, and jitter adds at most a fifth', (t) => {
  const failed = { errorClass: 'http', retryAfterMs: null } as const
  const waits = [1, 2, 3, 4].map((attempt) => judgeAttempt(attempt, failed, 0, SCHEDULE))
  t.strictSame(waits, [
    { kind: 'retry', dueAt: 30_000 },
    { kind: 'retry', dueAt: 300_000 },
    { kind: 'retry', dueAt: 7_200_000 },
    { kind: 'retry', dueAt: 79_200_000 },
  ])
  t.strictSame(judgeAttempt(5, failed, 0, SCHEDULE), { kind: 'exhausted' })
  const well = { errorClass: null, retryAfterMs: null }
  t.strictSame(judgeAttempt(5, well, 0, SCHEDULE), { kind: 'succeeded' })
  t.equal(dueAt(2, 1000, { ...SCHEDULE, random: () => 0.9999 }), 36_999)
  t.end()
})

test('Retry-After only lengthens a delay, to at most twice and six hours', (t) => {
  const due = (attempt: number, retryAfterMs: number) =>
    judgeAttempt(attempt, { errorClass: 'http', retryAfterMs }, 1000, SCHEDULE)
  const HOUR = 3_600_000
  t.strictSame(due(1, 10_000), { kind: 'retry', dueAt: 31_000 }, 'never sooner')
  t.strictSame(due(1, 45_000), { kind: 'retry', dueAt: 46_000 })
  t.strictSame(due(1, 90_000), { kind: 'retry', dueAt: 61_000 }, 'twice the step at most')
  t.strictSame(due(3, 3 * HOUR), { kind: 'retry', dueAt: 1000 + 3 * HOUR })
  t.strictSame(due(4, 40 * HOUR), { kind: 'retry', dueAt: 1000 + 22 * HOUR }, 'six hours at most')
  t.strictSame(due(3, 40 * HOUR), { kind: 'retry', dueAt: 1000 + 4 * HOUR })
  t.strictSame(due(5, 1), { kind: 'exhausted' })
  t.end()
})

test('every attempt signs the same bytes afresh, with the old secret first', (t) => {
  const secrets = ['whsec_' + 'b2xkb2xkb2xkb2xk', 'whsec_' + 'bmV3bmV3bmV3bmV3']
  const body = Buffer.from('{"id":"evt_1",  "type":"x"}')
  const delivery: ClaimedDelivery & Posting = {
    id: 'dlv_1',
    resourceId: 'txn_1',
    eventId: 'evt_1',
    endpointId: 'we_1',
    tenantId: 'ten_1',
    environment: 'sandbox',
    cause: 'event',
    cycle: 1,
    isUntried: false,
    attempt: 2,
    epoch: 1,
    leaseToken: 'lease',
    sendBy: 0,
    url: 'https://example.com/hook?a=b',
    body,
    secrets,
  }
  const sign = (now: number) =>
    signRequest(composeRequest(delivery), { eventId: 'evt_1', secrets, now })
  const { headers, body: sent } = sign(1_700_000_000_999)
  t.equal(sent, body)
  t.equal(headers['svc-attempt'], '2/5')
  t.match(headers['svc-signature'], /^t=1700000000,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/)
  t.equal(
    headers['webhook-signature'],
    secrets.map((secret) => standardSignature(secret, 'evt_1', 1_700_000_000, body)).join(' '),
  )
  for (const secret of secrets) {
    const input = { header: headers['svc-signature']!, body, secrets: [secret] }
    t.equal(verifySignature({ ...input, nowS: 1_700_000_100 }), null)
  }
  t.not(headers['svc-signature'], sign(1_700_000_001_000).headers['svc-signature'])
  t.end()
})
