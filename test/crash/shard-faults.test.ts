// Faults around a shard of three engine processes: nodes of etcd that end beside the owner, a
// quorum that is gone for a while, a config record that an owner confirmed before it ended.
import { type Test, test } from 'tap'
import { type Cluster, reportsOf, startCluster, whole } from '../harness/cluster.ts'
import { Network, newBody, sendOnce } from '../harness/cluster-network.ts'
import { cardConfig } from '../harness/engine.ts'
import type { EngineChild } from '../harness/engine-child.ts'
import { etcdStore, leaderOf, NEEDS_ETCD, ranged } from '../harness/etcd.ts'
import { repeats } from '../harness/long.ts'
import { file, perFile } from '../harness/per-file.ts'
import { until } from '../harness/until.ts'

const LANES = 4
/** Nodes of etcd that end beside the one that leads. */
const OTHER_NODES = repeats(1, 2)

/** Each test leaves the cluster whole; the last one leaves its card suspended. */
const shared = perFile(() => startCluster(file))

function networkOf(t: Test, { members }: Cluster): Network {
  return new Network(t, () => members.map(({ engine }) => engine.port))
}

test(
  'the owner and any node of etcd end together, the leader among them',
  NEEDS_ETCD,
  async (t) => {
    const cluster = await whole(await shared())
    const network = networkOf(t, cluster)
    network.start(LANES)
    const leader = cluster.nodes[await leaderOf(cluster.nodes)]
    const others = cluster.nodes.filter((node) => node !== leader)
    for (const node of [leader, ...others.slice(0, OTHER_NODES)]) {
      if (node === undefined) throw new Error('no node leads')
      const owner = await cluster.owning()
      const { epoch } = await cluster.owner()
      owner.engine.child.kill('SIGKILL')
      await node.stop()
      await cluster.nextOwner(epoch)
      const before = network.answered
      await until(() => network.answered > before + 20)
      node.start()
      const own = etcdStore(t, [node.endpoint])
      const read = [{ from: cluster.keys.owner, until: null }]
      await until(async () => (await ranged(own, read)).outcome === 'read')
      await owner.restart()
    }
    await network.stop()
    t.same(await network.contradictions(), [], network.sent.length + ' messages')
  },
)

for (const signal of ['SIGKILL', 'SIGSTOP'] as const)
  test('the leader of etcd gets ' + signal + ' under load', NEEDS_ETCD, async (t) => {
    const cluster = await whole(await shared())
    const network = networkOf(t, cluster)
    network.start(LANES)
    await until(() => network.answered > 60)
    const first = await leaderOf(cluster.nodes)
    const leader = cluster.nodes[first]
    if (leader === undefined) throw new Error('no node leads')
    leader.kill(signal)
    const others = cluster.nodes.filter((node) => node !== leader)
    await until(async () => (await leaderOf(others)) !== -1)
    const before = network.answered
    await until(() => network.answered > before + 40)
    if (signal === 'SIGSTOP') leader.kill('SIGCONT')
    else leader.start()
    // It follows the next leader, and what it told nobody counts for nothing.
    await until(async () => (await leaderOf([leader])) === -1 && (await leaderOf(others)) !== -1)
    await network.stop()
    t.same(await network.contradictions(), [], network.sent.length + ' messages')
    t.equal(network.refused.get(409) ?? 0, 0)
  })

test(
  'without a quorum nothing is answered, and with it the shard goes on',
  NEEDS_ETCD,
  async (t) => {
    const cluster = await whole(await shared())
    const network = networkOf(t, cluster)
    await network.deliver(newBody())
    const owner = await cluster.owning()
    const [, second, third] = cluster.nodes
    if (second === undefined || third === undefined) throw new Error('there are three nodes')
    await second.stop()
    await third.stop()
    const { body } = newBody()
    const answer = await sendOnce(owner.engine.port, body, 1500)
    t.not(answer?.status, 200, 'no decision leaves before etcd committed it')
    second.start()
    third.start()
    await network.deliver(newBody())
    const late = await network.deliver({ id: 'late', body })
    t.equal(late.answers.length, 1, 'the message is decided once etcd is back')
    t.same(await network.contradictions(), [])
  },
)

/** The card of every test is suspended; the records of this engine only. */
async function suspend({ client }: EngineChild): Promise<bigint> {
  const { facts_cursor: base } = await client.status()
  const next = Number(base?.split(':')[0]) + 1
  await client.pushConfig({
    database_id: 'test',
    step: 'change',
    base,
    changes: [cardConfig({ version: 2, status: 'suspended' })],
    cursor: next + ':' + next + ':',
  })
  return BigInt(next - 1)
}

const LACKS = 'config records that were confirmed are missing'

/** Why each member may not take over, as it reports itself. */
async function objections(cluster: Cluster): Promise<(string | null)[]> {
  return (await reportsOf(cluster)).map(({ ineligible }) => ineligible)
}

test('a suspension that an owner confirmed binds the next owner', NEEDS_ETCD, async (t) => {
  const cluster = await whole(await shared())
  const network = networkOf(t, cluster)
  await network.deliver(newBody())
  const owner = await cluster.owning()
  const others = cluster.members.filter((member) => member !== owner)
  const [follower] = others
  if (follower === undefined) throw new Error('there are three members')
  const xid = await suspend(owner.engine)
  t.equal(await follower.engine.client.covers(xid), true, 'a follower asks the owner')
  const floor = await ranged(cluster.store, [{ from: cluster.keys.floor, until: null }])
  const { facts_cursor: cursor, database_id: databaseId } = await owner.engine.client.status()
  t.equal(
    floor.outcome === 'read' && floor.reads[0]?.[0]?.value.toString(),
    cursor + ' ' + databaseId,
  )
  const { epoch } = await cluster.owner()
  owner.engine.child.kill('SIGKILL')
  await owner.engine.exited
  // Both others lack the suspension, say so, and leave the shard without an owner.
  await until(async () => (await objections(cluster)).filter((why) => why === LACKS).length === 2)
  t.equal((await cluster.owner()).epoch, epoch)
  t.equal((await sendOnce(follower.engine.port, newBody().body))?.status, 503)
  await suspend(follower.engine)
  await cluster.nextOwner(epoch)
  const { answers } = await network.deliver(newBody())
  t.match(JSON.parse(answers[0] ?? ''), { approved: false, decline_reason: 'card_suspended' })
})
