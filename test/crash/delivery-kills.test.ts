import { test } from 'tap'
import { systemClock, unixSeconds } from '../../shared/clock.ts'
import { signatureHeader } from '../../shared/signature.ts'
import type { Received, WebhookReceiver } from '../fakes/webhook-receiver.ts'
import { killDeliveryUnderLoad } from '../faults/delivery-kills.ts'
import { compareDeliveries } from '../faults/delivery-witness.ts'
import { SHORT } from '../faults/fault.ts'
import { addDelivery } from '../harness/deliveries.ts'
import { addEndpoint, addTenant, recordEvents } from '../harness/dispatcher-process.ts'
import { repeats } from '../harness/long.ts'
import { openTestDatabase } from '../harness/postgres.ts'

/** Each of the three parts is killed once, or twice. */
const KILLS = repeats(3, 6)

test('killing dispatcher, api and PostgreSQL in turns loses no event and repeats no notice', async (t) => {
  const found = await killDeliveryUnderLoad({
    effort: { ...SHORT, kills: KILLS },
    teardown: (task) => t.teardown(task),
    say: (line) => t.comment(line),
  })
  t.same(found.problems, [], found.injected)
})

test('the witness reports lost, changed, misaddressed and overtried events and duplicate notices', async (t) => {
  const { sql } = await openTestDatabase(t)
  const tenantId = await addTenant(sql)
  const watch = async (path: string, eventTypes: string[] | null) => {
    const { id, secrets } = await addEndpoint(sql, { tenantId, url: 'http://127.0.0.1:9' + path })
    return { path, id, secret: secrets[0] ?? '', eventTypes }
  }
  const steady = await watch('/steady', null)
  const filtered = await watch('/filtered', ['card.suspended'])
  const dead = await watch('/dead', null)
  const ids = await recordEvents(sql, { tenantId, count: 3 })
  const [first = '', second = '', third = ''] = ids
  const nowMs = systemClock.nowMs()
  const arrivals = new Map<string, Received[]>()
  const arrive = async (path: string, secret: string, eventId: string, deliveryId: string) => {
    const [{ body }] = await sql<[{ body: Buffer }]>`select body from events where id = ${eventId}`
    const headers = {
      'svc-event-id': eventId,
      'svc-delivery-id': deliveryId,
      'svc-attempt': '1/5',
      'svc-signature': signatureHeader([secret], unixSeconds(nowMs), body),
    }
    arrivals.set(path, [...(arrivals.get(path) ?? []), { path, headers, body, atMs: nowMs }])
  }
  const receiver = { at: (path: string) => arrivals.get(path) ?? [] } as unknown as WebhookReceiver
  const problems = async () =>
    (await compareDeliveries(sql, receiver, [steady, filtered, dead])).problems
  for (const eventId of ids) {
    await arrive('/steady', steady.secret, eventId, 'dlv_' + eventId)
    const delivery = { eventId, endpointId: dead.id, state: 'failed' } as const
    await addDelivery(sql, { id: 'dlv_dead_' + eventId, attempts: 5, ...delivery })
  }
  t.same(await problems(), [])

  const whole = arrivals.get('/steady') ?? []
  arrivals.set('/steady', whole.slice(1))
  t.same(await problems(), ['/steady never got card.activated ' + first])
  const [bent] = whole
  arrivals.set('/steady', [...whole, { ...(bent as Received), body: Buffer.from('{}') }])
  t.same(await problems(), ['/steady got ' + first + ' changed'])
  arrivals.set('/steady', whole)
  await arrive('/filtered', filtered.secret, second, 'dlv_strange')
  t.same(await problems(), ['/filtered got ' + second + ', which is not for it'])
  arrivals.delete('/filtered')
  for (let n = 0; n < 6; n++) await arrive('/dead', dead.secret, third, 'dlv_dead_' + third)
  t.same(await problems(), ['dlv_dead_' + third + ' was tried too often in 1 cycles'])
  arrivals.delete('/dead')
  await sql`delete from ended_deliveries where event_id = ${second}`
  t.same(await problems(), ['/dead neither has nor missed ' + second])
  await sql`
    insert into endpoint_absences (endpoint_id, from_seq, until_seq, from_at, until_at, reason)
    values (${dead.id}, 2, 2, 0, 0, 'retry_exhausted')`
  t.same(await problems(), [])
  await sql`update webhook_endpoints set enabled_epoch = 2 where id = ${dead.id}`
  t.same(await problems(), ['it was disabled 1 times, with 0 notices'])
})
