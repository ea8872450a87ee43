// A front door before two shards on one machine, without etcd: two engine processes, one
// PostgreSQL, messages of tenants of both.
import { test } from 'tap'
import { newBody, sendOnce } from '../harness/cluster-network.ts'
import { file, perFile } from '../harness/per-file.ts'
import { twoShards } from '../harness/two-shards.ts'
import { until } from '../harness/until.ts'

/** Each test leaves both engines running. */
const shared = perFile(() => twoShards(file))

test('the door sends each message to the shard of its card', async (t) => {
  const { door, lanesOf, seqOf } = await shared()
  const [one, two] = [await lanesOf(t, 's1'), await lanesOf(t, 's2')]
  await one.network.deliver(newBody({ card: { token: 'tok_nobody' } }))
  const [unknown] = one.network.sent
  t.match(unknown?.answers[0], 'card_not_found', 'an unknown card is declined, not refused')
  const before = [await seqOf(0), await seqOf(1)]
  for (const lanes of [one, two]) lanes.start()
  await until(() => one.network.answered > 20 && two.network.answered > 20)
  for (const lanes of [one, two]) await lanes.stop()
  t.equal((await seqOf(0)) - (before[0] ?? 0), one.network.sent.length - 1)
  t.equal((await seqOf(1)) - (before[1] ?? 0), two.network.sent.length)
  t.same([...(await one.network.contradictions()), ...(await two.network.contradictions())], [])
  const page = await door.metrics()
  t.match(page, /^svc_door_unlocated_total [1-9]/m)
  t.match(page, /^svc_door_epoch\{shard="s2"\} 1$/m)
  t.match(page, /^svc_ready 1$/m)
})

test('a shard whose engine is killed costs the other one nothing', async (t) => {
  const { door, engines, start, lanesOf } = await shared()
  const [one, two] = [await lanesOf(t, 's1'), await lanesOf(t, 's2')]
  for (const lanes of [one, two]) lanes.start()
  await until(() => one.network.answered > 20 && two.network.answered > 20)
  engines[0]?.child.kill('SIGKILL')
  await engines[0]?.exited
  const answered = two.network.answered
  await until(() => two.network.answered > answered + 50)
  t.equal(two.network.refused.size, 0, 'the second shard refuses nothing')
  const page = await door.metrics()
  t.match(page, /^svc_door_reached\{shard="s1"\} 0$/m)
  t.match(page, /^svc_door_reached\{shard="s2"\} 1$/m)
  t.match(page, /^svc_ready 1$/m, 'the door stays ready for the other shard')
  await start(0)
  const back = one.network.answered
  await until(() => one.network.answered > back + 20)
  for (const lanes of [one, two]) await lanes.stop()
  t.same([...(await one.network.contradictions()), ...(await two.network.contradictions())], [])
})

test('an engine ends in order while a door is connected', async (t) => {
  const { engines, start, lanesOf } = await shared()
  const one = await lanesOf(t, 's1')
  one.start()
  await until(() => one.network.answered > 20)
  engines[0]?.child.kill('SIGTERM')
  t.equal(await engines[0]?.exited, 0)
  await start(0)
  const back = one.network.answered
  await until(() => one.network.answered > back + 20)
  await one.stop()
  t.same(await one.network.contradictions(), [])
})

test('a message of a group that moves waits for the next shard', async (t) => {
  const { sql, door, tenants, tokenOf, lanesOf, seqOf } = await shared()
  await (await lanesOf(t, 's1')).network.deliver(newBody({ card: { token: 'tok_nobody' } }))
  const [tenant] = tenants
  if (tenant === undefined) throw new Error('no tenant')
  const place = async (shard: string): Promise<void> => {
    await sql`
      update placements set shard = ${shard}
      where tenant_id = ${tenant.tenantId} and environment = 'sandbox'`
  }
  const { body } = newBody({ card: { token: await tokenOf(tenant) } })
  await place('-')
  await until(async () => (await sendOnce(door.port, body, 3000))?.status === 503)
  await place('s2')
  const before = await seqOf(1)
  await until(
    async () =>
      (await sendOnce(door.port, newBody({ card: { token: await tokenOf(tenant) } }).body, 3000))
        ?.status === 200,
  )
  t.ok((await seqOf(1)) > before, 'the second shard decided')
})
