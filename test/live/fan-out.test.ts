// The two loops of fan-out, one round at a time. Time is an argument.
import { type Test, test } from 'tap'
import { tx } from '../../api/database/transaction.ts'
import { FanOut } from '../../api/webhooks/delivery/fan-out.ts'
import type { Clock } from '../../shared/clock.ts'
import { addEndpoint, addTenant, recordEvents } from '../harness/dispatcher-process.ts'
import { pacingAt } from '../harness/pacing.ts'
import { openTestDatabase } from '../harness/postgres.ts'
import { until } from '../harness/until.ts'

const SCHEDULE = { delaysMs: [0, 1000, 1000, 1000, 1000], random: () => 0 }
/** Interval of the loop's rounds. */
const ROUND_MS = 33

async function openFanOut(t: Test) {
  const { sql } = await openTestDatabase(t)
  let now = 1_800_000_000_000
  let refused = 0
  let monotonicNs = 0
  /** Duration of a read of the clock. */
  let lookNs = 0
  const addressed: string[][] = []
  const fanOut = new FanOut({
    sql,
    clock: { nowMs: () => now, monotonicNs: () => (monotonicNs += lookNs) } as Clock,
    schedule: SCHEDULE,
    pacing: pacingAt(() => now),
    owner: 'dsp_1',
    admit: () => true,
    refused: (turns) => {
      refused += turns.length
    },
    addressed: ({ leased }) => void addressed.push(leased.map(({ tenantId }) => tenantId)),
  })
  return {
    sql,
    fanOut,
    refused: () => refused,
    /** Tenants of the deliveries of each round. */
    addressed,
    roundsTake(ms: number) {
      lookNs = ms * 1e6
    },
    pass(ms: number) {
      now += ms
    },
    async tenant(count: number): Promise<string> {
      const tenantId = await addTenant(sql)
      await addEndpoint(sql, { tenantId, url: 'http://127.0.0.1:9999/' })
      await recordEvents(sql, { tenantId, count })
      return tenantId
    },
    async waiting(tenantId: string): Promise<number> {
      return (await sql`select from event_outbox where tenant_id = ${tenantId}`).length
    },
  }
}

test('a tenant with a backlog has its own loop, and no part in the rounds of the others', async (t) => {
  const { sql, fanOut, pass, tenant, waiting } = await openFanOut(t)
  const flood = await tenant(150)
  const calm = await tenant(1)
  t.ok((await fanOut.catchUp()) > 500, 'nobody is known to be behind')
  t.ok((await fanOut.calm()) < 25)
  t.equal(await waiting(calm), 0)
  const after = await waiting(flood)
  t.equal(after, 150 - 25, 'its burst')

  await recordEvents(sql, { tenantId: calm, count: 1 })
  await fanOut.calm()
  t.equal(await waiting(calm), 0)
  t.equal(await waiting(flood), after)
  t.equal(await fanOut.calm(), 25, 'nobody is calm and has an event')

  for (let steps = 0; steps < 9; steps++) {
    pass(100)
    await fanOut.catchUp()
  }
  t.equal(await waiting(flood), 50, 'a hundred of them within the second')
  t.ok((await fanOut.catchUp()) <= 25, 'it is looked at again soon')
  t.equal(await waiting(flood), 50)
  for (let rounds = 0; (await waiting(flood)) > 0 && rounds < 20; rounds++) {
    pass(1000)
    await fanOut.catchUp()
  }
  t.equal(await waiting(flood), 0)
  await fanOut.catchUp()
  await recordEvents(sql, { tenantId: flood, count: 1 })
  await fanOut.calm()
  t.equal(await waiting(flood), 0, 'who has caught up is calm again')
})

test('a tenant that needs a hundred events a second gets them evenly', async (t) => {
  const { fanOut, pass, tenant, waiting } = await openFanOut(t)
  const flood = await tenant(400)
  await fanOut.calm()
  let left = await waiting(flood)
  const taken: number[] = []
  for (let ms = 0; left > 0 && ms < 6000; ms += ROUND_MS, pass(ROUND_MS)) {
    await fanOut.catchUp()
    const now = await waiting(flood)
    taken.push(left - now)
    left = now
  }
  t.equal(left, 0)
  t.ok(Math.max(...taken.slice(31)) <= 19, 'after its first second no step has more than another')
  const seconds = (taken.length * ROUND_MS) / 1000
  t.ok(seconds < 4.7, 'a hundred a second: ' + seconds)
})

test('events admitted in a failed round are returned, and their tenant keeps its backlog', async (t) => {
  const { sql, fanOut, pass, refused, tenant, waiting } = await openFanOut(t)
  const flood = await tenant(120)
  await fanOut.calm()
  await sql`alter table open_deliveries rename to away`
  pass(100)
  await t.rejects(fanOut.catchUp())
  t.equal(refused(), 25)
  await sql`alter table away rename to open_deliveries`
  pass(5)
  await fanOut.catchUp()
  t.equal(await waiting(flood), 70)
})

test('the duration of rounds shortens the pause: events are noticed as early as possible', async (t) => {
  const { sql, fanOut, pass, roundsTake, tenant } = await openFanOut(t)
  const calm = await tenant(1)
  const rounds = async (count: number): Promise<number> => {
    for (let round = 0; round < count; round++) {
      pass(1000)
      await recordEvents(sql, { tenantId: calm, count: 1 })
      t.equal(await fanOut.calm(), 5)
    }
    return fanOut.calm()
  }
  t.equal(await rounds(1), 25)
  roundsTake(10)
  t.ok(Math.abs((await rounds(40)) - 15) < 0.3)
  roundsTake(100)
  t.equal(await rounds(10), 5, 'there is always a pause')
  roundsTake(0)
  t.ok((await rounds(40)) > 24, 'it goes by what they take now')

  roundsTake(100)
  t.equal(await rounds(10), 5)
  let looks = 0
  while ((await fanOut.calm()) < 24 && looks < 1000) looks += 1
  t.ok(looks > 100 && looks < 500, 'and is forgotten while nothing comes: after ' + looks)
})

test('a tenant whose bulk is not due is skipped, until an event of the first lane comes', async (t) => {
  const { sql, fanOut, pass, tenant, waiting } = await openFanOut(t)
  const busy = await tenant(0)
  await recordEvents(sql, { tenantId: busy, count: 30, type: 'pass.updated' })
  /** Every round rewrites and locks its own rows. */
  const pace = async () => sql`select ctid::text, xmax::text, moments from fan_out_pace`
  await fanOut.calm()
  t.equal(await waiting(busy), 21, 'a step of bulk')
  const before = await pace()
  t.ok((await fanOut.catchUp()) <= 25, 'it is looked at again soon')
  t.strictSame(await pace(), before)

  await recordEvents(sql, { tenantId: busy, count: 1 })
  await fanOut.catchUp()
  t.equal(await waiting(busy), 21, 'what goes first goes at once')
  t.equal((await sql`select from event_outbox where lane = 0`).length, 0)

  pass(100)
  await fanOut.catchUp()
  t.equal(await waiting(busy), 12, 'a step later its bulk goes on')
})

test('a tenant with a backlog begins no round during a round of the calm ones', async (t) => {
  const { sql, fanOut, addressed, pass, tenant } = await openFanOut(t)
  const flood = await tenant(120)
  await fanOut.calm()
  addressed.length = 0
  const calm = await tenant(1)
  const held = Promise.withResolvers<void>()
  const free = Promise.withResolvers<void>()
  const holding = tx(sql, async (inner) => {
    await inner`select from webhook_endpoints where tenant_id = ${calm} for update`
    held.resolve()
    await free.promise
  })
  await held.promise
  const ahead = fanOut.calm()
  await until(async () => {
    const [row] = await sql`select from pg_locks where not granted`
    return row !== undefined
  })
  pass(100)
  const behind = fanOut.catchUp()
  // Longer than a round.
  for (let question = 0; question < 50; question++) await sql`select 1`
  t.strictSame(addressed, [])
  free.resolve()
  await Promise.all([holding, ahead, behind])
  t.strictSame([addressed[0], new Set(addressed[1])], [[calm], new Set([flood])])
})
