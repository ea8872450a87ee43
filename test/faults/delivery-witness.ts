// Compares the received events with the committed ones: every event at least once wherever it
// belongs, no delivery more than five times a cycle, and one notice each time an endpoint was
// disabled.
import type { Sql } from '../../api/database/pool.ts'
import { sentBody } from '../../api/webhooks/events/event-body.ts'
import { verifyWebhook } from '../../client/verify-webhook.ts'
import type { Received, WebhookReceiver } from '../fakes/webhook-receiver.ts'

/** An endpoint of the test, made before the first event. `/dead` is the one that always fails. */
export interface Watched {
  path: string
  id: string
  secret: string
  /** Null: all types. */
  eventTypes: readonly string[] | null
}

export interface Compared {
  problems: string[]
  /** The counts as a sentence. */
  counts: string
  notices: number
}

interface Committed {
  id: string
  type: string
  seq: number
  body: Buffer
  of: string
}

const ATTEMPTS_MAX = 5
const SHOWN_MAX = 3

export async function compareDeliveries(
  sql: Sql,
  receiver: WebhookReceiver,
  watched: readonly Watched[],
): Promise<Compared> {
  const dead = watched.find(({ path }) => path === '/dead') as Watched
  const events = await sql<Committed[]>`
    select e.id, e.type, e.seq, e.body, e.resource_id as of from events e
    join webhook_endpoints w on w.tenant_id = e.tenant_id and w.environment = e.environment
    where w.id = ${dead.id} order by e.seq`
  const problems = watched.flatMap((endpoint) => [
    ...misdirected(endpoint, receiver.at(endpoint.path), events),
    ...changed(endpoint, receiver.at(endpoint.path), events),
  ])
  problems.push(...(await tooOften(sql, receiver, watched)))
  problems.push(...(await unaccounted(sql, dead)))
  const notices = events.filter(({ type }) => type === 'webhook_endpoint.disabled')
  problems.push(...(await notTold(sql, dead, notices)))
  const delivered = watched.reduce((sum, { path }) => sum + receiver.at(path).length, 0)
  const [cut] = await sql<[{ count: number }]>`
    select count(*) as count from delivery_attempts where error_class = 'interrupted'`
  const counts =
    events.length +
    ' events committed, ' +
    delivered +
    ' attempts arrived at ' +
    watched.length +
    ' endpoints, ' +
    cut.count +
    ' attempts cut off, ' +
    notices.length +
    ' notices'
  return { problems, counts, notices: notices.length }
}

/**
 * Each endpoint gets every event of its types at least once, and no other. The endpoint that always
 * fails may have missed some.
 */
function misdirected(
  { path, id, eventTypes }: Watched,
  arrived: readonly Received[],
  events: readonly Committed[],
): string[] {
  const wanted = events.filter(({ type, of }) =>
    type === 'webhook_endpoint.disabled' ? of !== id : (eventTypes?.includes(type) ?? true),
  )
  const there = new Set(arrived.map(({ headers }) => String(headers['svc-event-id'])))
  const missing = path === '/dead' ? [] : wanted.filter((event) => !there.has(event.id))
  const expected = new Set(wanted.map((event) => event.id))
  const strange = [...there].filter((eventId) => !expected.has(eventId))
  return [
    ...some(missing, (event) => path + ' never got ' + event.type + ' ' + event.id),
    ...some(strange, (eventId) => path + ' got ' + eventId + ', which is not for it'),
  ]
}

/** A received body equals the committed one byte for byte, and is signed. */
function changed(
  { path, secret }: Watched,
  arrived: readonly Received[],
  events: readonly Committed[],
): string[] {
  const bodies = new Map(events.map((event) => [event.id, sentBody(event.body)]))
  const wrong = arrived.filter(({ headers, body, atMs }) => {
    const stored = bodies.get(String(headers['svc-event-id']))
    if (stored === undefined || !stored.equals(body)) return true
    try {
      verifyWebhook(body, headers['svc-signature'], secret, { nowS: Math.floor(atMs / 1000) })
      return !/^[1-5]\/5$/.test(String(headers['svc-attempt']))
    } catch {
      return true
    }
  })
  return some(wrong, ({ headers }) => path + ' got ' + headers['svc-event-id'] + ' changed')
}

/** At most five attempts a cycle: by arrivals, and by recorded attempts. */
async function tooOften(
  sql: Sql,
  receiver: WebhookReceiver,
  watched: readonly Watched[],
): Promise<string[]> {
  const arrivals = new Map<string, number>()
  for (const { path } of watched) {
    for (const { headers } of receiver.at(path)) {
      const id = String(headers['svc-delivery-id'])
      arrivals.set(id, (arrivals.get(id) ?? 0) + 1)
    }
  }
  const rows = await sql<{ id: string; cycle: number; attempts: number; logged: number }[]>`
    select d.id, d.cycle, d.attempts, coalesce(max(a.n), 0) as logged
    from deliveries d left join delivery_attempts a on a.delivery_id = d.id
    group by d.id, d.cycle, d.attempts`
  const wrong = rows.filter(
    ({ id, cycle, attempts, logged }) =>
      attempts > ATTEMPTS_MAX ||
      logged > ATTEMPTS_MAX ||
      (arrivals.get(id) ?? 0) > ATTEMPTS_MAX * cycle,
  )
  return some(wrong, ({ id, cycle }) => id + ' was tried too often in ' + cycle + ' cycles')
}

/** The failing endpoint has a delivery of every event, or missed it while it was disabled. */
async function unaccounted(sql: Sql, dead: Watched): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select e.id from events e
    join webhook_endpoints w on w.tenant_id = e.tenant_id and w.environment = e.environment
    where w.id = ${dead.id} and not (e.type = 'webhook_endpoint.disabled' and e.resource_id = w.id)
      and not exists (
        select from deliveries d where d.event_id = e.id and d.endpoint_id = w.id
      )
      and not exists (
        select from endpoint_absences a
        where a.endpoint_id = w.id and e.seq >= a.from_seq and e.seq <= coalesce(a.until_seq, e.seq)
      )`
  return some(rows, ({ id }) => dead.path + ' neither has nor missed ' + id)
}

/** One notice for each time it was disabled: every enabling begins an epoch. */
async function notTold(sql: Sql, dead: Watched, notices: readonly Committed[]): Promise<string[]> {
  const [row] = await sql<[{ epoch: number; disabled: boolean }]>`
    select enabled_epoch as epoch, status = 'disabled' as disabled from webhook_endpoints
    where id = ${dead.id}`
  const times = row.epoch - (row.disabled ? 0 : 1)
  const others = notices.filter(({ of }) => of !== dead.id)
  return [
    ...(notices.length - others.length === times
      ? []
      : ['it was disabled ' + times + ' times, with ' + notices.length + ' notices']),
    ...some(others, ({ of }) => of + ' was disabled, which always answered in the end'),
  ]
}

function some<Item>(items: readonly Item[], sentence: (item: Item) => string): string[] {
  const more = items.length > SHOWN_MAX ? ['… and ' + (items.length - SHOWN_MAX) + ' more'] : []
  return [...items.slice(0, SHOWN_MAX).map(sentence), ...more]
}
