// A message that ends each engine that takes it: no third engine gets it.
import { test } from 'tap'
import { startTenant } from '../fakes/tenant.ts'
import { startCluster } from '../harness/cluster.ts'
import { Network, newBody, sendOnce } from '../harness/cluster-network.ts'
import { startDoor, type TestDoor } from '../harness/door.ts'
import { endpointConfig, TENANT_SECRET } from '../harness/engine.ts'
import { NEEDS_ETCD } from '../harness/etcd.ts'

/** On a busy machine a take-over may take longer than a message waits. */
const TRIES_MAX = 5
const POISON_CENTS = 666

async function metric({ metrics }: TestDoor, name: string): Promise<number> {
  return Number(new RegExp('^' + name + ' (\\d+)$', 'm').exec(await metrics())?.[1])
}

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
