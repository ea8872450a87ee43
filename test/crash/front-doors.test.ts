// Front doors that end with a thousand open messages, and a message that ends each engine that
// takes it: the network repeats the first, and no third engine gets the second.
import { test } from 'tap'
import { startTenant } from '../fakes/tenant.ts'
import { type Cluster, startCluster } from '../harness/cluster.ts'
import { Network, newBody, sendOnce } from '../harness/cluster-network.ts'
import { startDoor, type TestDoor } from '../harness/door.ts'
import { endpointConfig, TENANT_SECRET } from '../harness/engine.ts'
import { NEEDS_ETCD } from '../harness/etcd.ts'
import { until } from '../harness/until.ts'

const OPEN = 1000
/** On a busy machine a take-over may take longer than a message waits. */
const TRIES_MAX = 5
const POISON_CENTS = 666

async function metric({ metrics }: TestDoor, name: string): Promise<number> {
  return Number(new RegExp('^' + name + ' (\\d+)$', 'm').exec(await metrics())?.[1])
}

function signalAll({ members }: Cluster, signal: NodeJS.Signals): void {
  for (const { engine } of members) engine.child.kill(signal)
}

test('two doors that are killed with a thousand open messages lose none', NEEDS_ETCD, async (t) => {
  const cluster = await startCluster(t)
  const doors = [await startDoor(t, cluster), await startDoor(t, cluster)]
  let turn = 0
  // Every message goes to the next door, so that both have half of them.
  const network = new Network(t, () => [doors[turn++ % doors.length]?.port ?? 0])
  await network.deliver(newBody())
  signalAll(cluster, 'SIGSTOP')
  const sending = Promise.all(Array.from({ length: OPEN }, () => network.deliver(newBody())))
  const openAt = (door: TestDoor): Promise<number> => metric(door, 'svc_door_open_messages')
  await until(async () => {
    const open = await Promise.all(doors.map(openAt))
    return open.every((count) => count > OPEN / 4) && open[0]! + open[1]! > OPEN * 0.9
  }, 60_000)
  for (const { child } of doors) child.kill('SIGKILL')
  doors.splice(0, 2, await startDoor(t, cluster), await startDoor(t, cluster))
  signalAll(cluster, 'SIGCONT')
  await sending
  t.equal(network.answered, OPEN + 1)
  t.same(await network.contradictions(), [], 'each repeat gets the answer that it had')
})

test('a message that ends two owners reaches no third one', NEEDS_ETCD, async (t) => {
  let deaths = 0
  let killOwner = (): void => undefined
  const tenant = await startTenant({
    secrets: [TENANT_SECRET],
    behave: ({ body }) => {
      if (!JSON.stringify(body).includes(String(POISON_CENTS)))
        return { kind: 'reply', body: JSON.stringify({ approve: true }) }
      deaths += 1
      killOwner()
      return { kind: 'hang' }
    },
  })
  t.teardown(() => tenant.close())
  const cluster = await startCluster(t, {
    config: {
      program: { realtime: true, endpoint_id: 'we_1' },
      more: [endpointConfig(tenant.url)],
    },
  })
  const door = await startDoor(t, cluster)
  const network = new Network(t, () => [door.port])
  await network.deliver(newBody())
  killOwner = () =>
    void cluster.owning().then(({ engine }) => {
      engine.child.kill('SIGKILL')
    })
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    deaths = 0
    const poison = newBody({ amount_cents: POISON_CENTS })
    const answer = await sendOnce(door.port, poison.body, 30_000)
    t.equal(answer?.status, 503)
    t.ok(deaths <= 2, deaths + ' owners ended')
    await Promise.all(cluster.members.map((member) => member.restart()))
    if ((await metric(door, 'svc_door_quarantined_total')) > 0) break
  }
  t.equal(await metric(door, 'svc_door_quarantined_total'), 1)
  await network.deliver(newBody())
  t.same(await network.contradictions(), [], 'the shard lives')
})
