// The two loops of fan-out, a round at a time. Time is an argument.
import { type Test, test } from 'tap'
import { FanOut } from '../../api/delivery/fan-out.ts'
import type { Clock } from '../../shared/clock.ts'
import { addEndpoint, addTenant, recordEvents } from '../harness/dispatcher-process.ts'
import { openTestDatabase } from '../harness/postgres.ts'

const SCHEDULE = { delaysMs: [0, 1000, 1000, 1000, 1000], random: () => 0 }
/** As often as a loop comes round. */
const ROUND_MS = 33

async function openFanOut(t: Test) {
  const { sql } = await openTestDatabase(t)
  let now = 1_800_000_000_000
  let refused = 0
  const fanOut = new FanOut({
    sql,
    clock: { nowMs: () => now } as Clock,
    schedule: SCHEDULE,
    owner: 'dsp_1',
    admit: () => true,
    refused: (turns) => {
      refused += turns.length
    },
    addressed: () => {},
  })
  return {
    sql,
    fanOut,
    refused: () => refused,
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

test('who is behind has a loop of its own, and no part in the rounds of the others', async (t) => {
  const { sql, fanOut, pass, tenant, waiting } = await openFanOut(t)
  const flood = await tenant(150)
  const calm = await tenant(1)
  t.ok((await fanOut.catchUp()) > 500, 'nobody is known to be behind')
  t.ok((await fanOut.calm()) < 25)
  t.equal(await waiting(calm), 0)
  const after = await waiting(flood)
  t.equal(after, 150 - 32, 'its part of the round')

  await recordEvents(sql, { tenantId: calm, count: 1 })
  await fanOut.calm()
  t.equal(await waiting(calm), 0)
  t.equal(await waiting(flood), after)
  t.equal(await fanOut.calm(), 25, 'nobody is calm and has an event')

  await fanOut.catchUp()
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

test('who asks for a hundred in every second gets them, and gets them evenly', async (t) => {
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
  t.ok(taken[0] === 36, 'the first hundred leave at once: ' + taken[0])
  t.ok(Math.max(...taken.slice(1)) <= 5, 'and no others do')
  const seconds = (taken.length * ROUND_MS) / 1000
  t.ok(seconds < 4.2, 'a hundred a second: ' + seconds)
})

test('what was admitted in a round that failed is given back, and its tenant stays behind', async (t) => {
  const { sql, fanOut, pass, refused, tenant, waiting } = await openFanOut(t)
  const flood = await tenant(120)
  await fanOut.calm()
  await sql`alter table open_deliveries rename to away`
  await t.rejects(fanOut.catchUp())
  t.equal(refused(), 36)
  await sql`alter table away rename to open_deliveries`
  pass(5)
  await fanOut.catchUp()
  t.equal(await waiting(flood), 20)
})
