// Whose turn it is, how fast, and what becomes of an attempt: the parts of delivery that need no database.
import fc from 'fast-check'
import { test } from 'tap'
import { composeRequest } from '../../api/delivery/compose.ts'
import type { ClaimedDelivery } from '../../api/delivery/delivery.ts'
import { EVENTS_PER_SECOND_MAX, paceAfter, paceQuota } from '../../api/delivery/pace.ts'
import { createRota } from '../../api/delivery/rota.ts'
import { signRequest } from '../../api/delivery/sign.ts'
import { dueAt, judgeAttempt } from '../../api/delivery/verdict.ts'
import { standardSignature, verifySignature } from '../../shared/signature.ts'

test('no sliding second holds more than a hundred events of a tenant', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ waitMs: fc.nat(400), wanted: fc.nat(150) }), { maxLength: 60 }),
      (rounds) => {
        let now = 1_000_000
        let moments: readonly number[] = []
        const admitted: number[] = []
        for (const { waitMs, wanted } of rounds) {
          now += waitMs
          const count = Math.min(wanted, paceQuota(moments, now).all)
          moments = paceAfter(moments, now, count)
          for (let made = 0; made < count; made++) admitted.push(now)
        }
        return admitted.every((moment, index) => {
          const hundredth = admitted[index + EVENTS_PER_SECOND_MAX]
          return hundredth === undefined || hundredth - moment >= 1000
        })
      },
    ),
  )
  t.equal(paceQuota([], 0).all, 100, 'an idle tenant may send a hundred at once')
  t.equal(paceQuota(new Array(100).fill(5000), 5999).all, 0, 'and none more within the second')
  t.equal(paceQuota(new Array(100).fill(5000), 6000).all, 100, 'and a hundred when it is over')
  t.equal(paceQuota(new Array(100).fill(99_000), 6000).all, 100, 'a clock set back binds nobody')
  t.end()
})

test('a tenant with a backlog takes turns with the others', (t) => {
  const rota = createRota()
  rota.mark('flood', 'flood-endpoint')
  for (const name of ['a', 'b', 'c']) rota.mark(name, name + '-endpoint')
  const quotas = new Map(rota.take(8).map((share) => [share.tenantId, share.quota]))
  t.strictSame(Object.fromEntries(quotas), { flood: 2, a: 2, b: 2, c: 2 })
  t.end()
})

test('hanging tenants never fill the last slot', (t) => {
  const rota = createRota()
  const HANGING = 50
  for (let tenant = 0; tenant < HANGING; tenant++) {
    for (let endpoint = 0; endpoint < 8; endpoint++)
      rota.mark('t' + tenant, 't' + tenant + 'e' + endpoint)
  }
  // Every claim finds all it may take, and nothing ever ends.
  for (let round = 0; round < 100; round++) {
    for (const share of rota.take(128)) rota.started(share, share.quota)
  }
  rota.mark('healthy', 'healthy-endpoint')
  const taken = rota.take(128)
  t.ok(taken.some((share) => share.tenantId === 'healthy' && share.quota >= 1))
  t.end()
})

test('one endpoint holds at most 16 slots, and gets them back', (t) => {
  const rota = createRota()
  rota.mark('t', 'slow')
  rota.mark('t', 'fast')
  const first = rota.take(128)
  t.strictSame(first.map((share) => share.quota).sort(), [16, 16])
  for (const share of first) rota.started(share, share.quota)
  t.strictSame(rota.take(128), [], 'both are full')
  rota.finished('t', 'fast')
  t.strictSame(rota.take(128), [{ tenantId: 't', endpointId: 'fast', quota: 1 }])
  t.equal(rota.inFlight(), 31)
  t.end()
})

test('an endpoint that had less than its share waits for the next mark', (t) => {
  const rota = createRota()
  rota.mark('t', 'e')
  const [share] = rota.take(4)
  rota.started(share!, 3)
  t.strictSame(rota.take(4), [])
  rota.mark('t', 'e')
  t.equal(rota.take(4)[0]!.quota, 4)
  t.end()
})

const SCHEDULE = { delaysMs: [0, 30_000, 300_000, 7_200_000, 79_200_000], random: () => 0 }

test('the schedule is 0, 30 s, 5 min, 2 h, 22 h, and jitter only adds up to a fifth', (t) => {
  const failed = { errorClass: 'http' } as const
  const waits = [1, 2, 3, 4].map((attempt) => judgeAttempt(attempt, failed, 0, SCHEDULE))
  t.strictSame(waits, [
    { kind: 'retry', dueAt: 30_000 },
    { kind: 'retry', dueAt: 300_000 },
    { kind: 'retry', dueAt: 7_200_000 },
    { kind: 'retry', dueAt: 79_200_000 },
  ])
  t.strictSame(judgeAttempt(5, failed, 0, SCHEDULE), { kind: 'exhausted' })
  t.strictSame(judgeAttempt(5, { errorClass: null }, 0, SCHEDULE), { kind: 'succeeded' })
  t.equal(dueAt(2, 1000, { ...SCHEDULE, random: () => 0.9999 }), 36_999)
  t.end()
})

test('every attempt signs the same bytes afresh, old secret first', (t) => {
  const secrets = ['whsec_' + 'b2xkb2xkb2xkb2xk', 'whsec_' + 'bmV3bmV3bmV3bmV3']
  const body = Buffer.from('{"id":"evt_1",  "type":"x"}')
  const delivery: ClaimedDelivery = {
    id: 'dlv_1',
    resourceId: 'txn_1',
    eventId: 'evt_1',
    endpointId: 'we_1',
    tenantId: 'ten_1',
    environment: 'sandbox',
    cause: 'event',
    cycle: 1,
    attempt: 2,
    epoch: 1,
    leaseToken: 'lease',
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
