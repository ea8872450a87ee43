// A rolling deploy of a shard of three from the earlier version to today's and back: the followers
// one by one, then the owner, which hands over. Processes of both versions share the shard.
import { join } from 'node:path'
import { test } from 'tap'
import { codeOf, needsCodeOf, RELEASES } from '../faults/earlier-release.ts'
import { type ClusterMember, journalOf, objectionOf, startCluster } from '../harness/cluster.ts'
import { Network, newBody } from '../harness/cluster-network.ts'
import { startDoor } from '../harness/door.ts'
import { NEEDS_ETCD } from '../harness/etcd.ts'
import { until } from '../harness/until.ts'

const LANES = 4
const ENOUGH = 20
const EARLIER = RELEASES.at(-1) ?? ''

test('three members go from ' + EARLIER + ' to today and back under load', {
  ...needsCodeOf(EARLIER),
  ...NEEDS_ETCD,
}, async (t) => {
  const earlier = join(codeOf(t, EARLIER), 'engine/main.ts')
  const scripts = new Map<string, string | undefined>()
  for (const name of ['a', 'b', 'c']) scripts.set(name, earlier)
  const cluster = await startCluster(t, { scriptOf: (name) => scripts.get(name) })
  const door = await startDoor(t, cluster)
  const network = new Network(t, () => [door.port])
  await network.deliver(newBody())
  network.refused.clear()
  network.start(LANES)
  const replace = async (member: ClusterMember, script: string | undefined): Promise<void> => {
    const others = cluster.members.filter((other) => other !== member)
    for (const other of others)
      await until(async () => (await objectionOf(cluster, other)) === null)
    const isToday = scripts.get(member.name) === undefined
    scripts.set(member.name, script)
    member.engine.child.kill('SIGTERM')
    const code = await member.engine.exited
    if (isToday) t.equal(code, 0, member.name + ' ends in order')
    await member.restart()
    await until(async () => (await objectionOf(cluster, member)) === null)
    const before = network.answered
    await until(() => network.answered > before + ENOUGH)
  }
  for (const script of [undefined, earlier]) {
    const owner = await cluster.owning()
    const followers = cluster.members.filter((member) => member !== owner)
    for (const member of [...followers, owner]) await replace(member, script)
  }
  await network.stop()
  t.same(Object.fromEntries(network.refused), {}, 'the network was refused nothing')
  t.same(await network.contradictions(), [], network.sent.length + ' messages')
  const [first, ...others] = await Promise.all(cluster.members.map((member) => journalOf(member)))
  for (const other of others) {
    const shared = Math.min(first?.length ?? 0, other.length)
    t.ok(shared > network.sent.length / 2, shared + ' entries of both')
    t.same(other.slice(0, shared), first?.slice(0, shared), 'the journals have equal entries')
  }
})
