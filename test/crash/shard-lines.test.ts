// Bad lines and bad disks around a shard of three engine processes: an owner that is cut off from
// etcd, an etcd that is slow or drops its connections, followers that stand still, a journal that
// is corrupt in the middle, a front door that is killed.
import { openSync, readdirSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { openProxy, type Relay } from '../faults/proxy.ts'
import {
  type Cluster,
  type ClusterMember,
  journalOf,
  startCluster,
  whole,
} from '../harness/cluster.ts'
import { Network } from '../harness/cluster-network.ts'
import { startDoor } from '../harness/door.ts'
import { NEEDS_ETCD } from '../harness/etcd.ts'
import { file, perFile } from '../harness/per-file.ts'
import type { Teardown } from '../harness/postgres.ts'
import { until } from '../harness/until.ts'

const LANES = 4

function networkOf(t: Test, { members }: Pick<Cluster, 'members'>): Network {
  return new Network(t, () => members.map(({ engine }) => engine.port))
}

/** A cluster whose members reach each node of etcd through a line of their own. */
async function withLines(
  t: Teardown,
  environment: { [name: string]: string } = {},
): Promise<{ cluster: Cluster; lines: Map<string, Relay[]> }> {
  const lines = new Map<string, Relay[]>()
  for (const name of ['a', 'b', 'c']) {
    const relays: Relay[] = []
    for (let node = 0; node < 3; node++)
      relays.push(await openProxy(t, { host: '127.0.0.1', port: 9 }))
    lines.set(name, relays)
  }
  const cluster = await startCluster(t, {
    environment,
    etcdOf: (name, endpoints) =>
      (lines.get(name) ?? []).map((relay, at) => {
        relay.target = { host: '127.0.0.1', port: Number(endpoints[at]?.split(':')[1]) }
        return '127.0.0.1:' + relay.port
      }),
  })
  return { cluster, lines }
}

/** Each test leaves the cluster whole, and its lines good. */
const lined = perFile(() => withLines(file))

async function sharedLines(): Promise<{ cluster: Cluster; lines: Map<string, Relay[]> }> {
  const { cluster, lines } = await lined()
  return { cluster: await whole(cluster), lines }
}

function relaysOf(lines: Map<string, Relay[]>, { name }: ClusterMember): readonly Relay[] {
  return lines.get(name) ?? []
}

/** Every member's journal is entry by entry the same, as far as the shortest goes. */
async function sameJournals(cluster: Cluster): Promise<boolean> {
  // On a busy machine a member may just start again.
  const { members } = await whole(cluster)
  const journals = await Promise.all(members.map((member) => journalOf(member)))
  const shortest = Math.min(...journals.map(({ length }) => length))
  return new Set(journals.map((journal) => journal.slice(0, shortest).join())).size === 1
}

test('a slow etcd that drops connections costs no owner and no answer', NEEDS_ETCD, async (t) => {
  // A machine that is busy with other tests is slow as well: six times the usual silence.
  const { cluster, lines } = await withLines(t, { SVC_OWNER_SILENT_MS: '6000' })
  const network = networkOf(t, cluster)
  network.start(LANES)
  await until(() => network.answered > 20)
  const { epoch } = await cluster.owner()
  const all = [...lines.values()].flat()
  for (const relay of all) relay.line.delayMs = 100
  const slow = network.answered
  await until(() => network.answered > slow + 40)
  t.equal((await cluster.owner()).epoch, epoch, 'slow is not dead')
  for (const relay of all) relay.line.delayMs = 0
  const owner = await cluster.owning()
  for (let round = 0; round < 10; round++) {
    for (const relay of relaysOf(lines, owner)) relay.cut()
    const cut = network.answered
    await until(() => network.answered > cut + 5)
  }
  await network.stop()
  t.same(await network.contradictions(), [], network.sent.length + ' messages')
  t.ok(await sameJournals(cluster))
})

test(
  'an owner that is cut off from etcd is replaced and answers nothing more',
  NEEDS_ETCD,
  async (t) => {
    const { cluster, lines } = await sharedLines()
    const network = networkOf(t, cluster)
    network.start(LANES)
    await until(() => network.answered > 40)
    const owner = await cluster.owning()
    const { epoch } = await cluster.owner()
    for (const relay of relaysOf(lines, owner)) relay.line.silent = true
    await cluster.nextOwner(epoch)
    const before = network.answered
    await until(() => network.answered > before + 40)
    for (const relay of relaysOf(lines, owner)) {
      relay.line.silent = false
      relay.cut()
    }
    t.equal(await owner.engine.exited, 75, 'it learns that another member owns the shard')
    await owner.restart()
    await network.stop()
    t.same(await network.contradictions(), [], network.sent.length + ' messages')
    t.ok(await sameJournals(cluster))
  },
)

test(
  'an owner that hears nothing from etcd, which hears it, is replaced',
  NEEDS_ETCD,
  async (t) => {
    const { cluster, lines } = await sharedLines()
    const network = networkOf(t, cluster)
    network.start(LANES)
    await until(() => network.answered > 40)
    const owner = await cluster.owning()
    const { epoch } = await cluster.owner()
    let swallowed = 0
    for (const relay of relaysOf(lines, owner))
      relay.line.filter = (bytes) => {
        swallowed += bytes.length
        return Buffer.alloc(0)
      }
    await cluster.nextOwner(epoch)
    const before = network.answered
    await until(() => network.answered > before + 40)
    t.ok(swallowed > 0, 'etcd took what it never confirmed')
    for (const relay of relaysOf(lines, owner)) {
      relay.line.filter = null
      relay.cut()
    }
    t.equal(await owner.engine.exited, 75)
    await owner.restart()
    await network.stop()
    t.same(await network.contradictions(), [], network.sent.length + ' messages')
    t.ok(await sameJournals(cluster))
  },
)

test('an owner that etcd does not hear, and which hears it, leaves', NEEDS_ETCD, async (t) => {
  const { cluster, lines } = await sharedLines()
  const network = networkOf(t, cluster)
  network.start(LANES)
  await until(() => network.answered > 40)
  const owner = await cluster.owning()
  const { exited } = owner.engine
  const { epoch } = await cluster.owner()
  for (const relay of relaysOf(lines, owner)) relay.line.mute = true
  await cluster.nextOwner(epoch)
  t.equal(await exited, 75, 'its watch tells it that another member owns the shard')
  for (const relay of relaysOf(lines, owner)) relay.line.mute = false
  const before = network.answered
  await until(() => network.answered > before + 40)
  await network.stop()
  t.same(await network.contradictions(), [], network.sent.length + ' messages')
  await owner.restart()
  t.ok(await sameJournals(cluster))
})

test('followers that stand still or end cost the owner nothing', NEEDS_ETCD, async (t) => {
  const { cluster } = await sharedLines()
  const network = networkOf(t, cluster)
  network.start(LANES)
  await until(() => network.answered > 20)
  const owner = await cluster.owning()
  const { epoch } = await cluster.owner()
  const [paused, killed] = cluster.members.filter((member) => member !== owner)
  if (paused === undefined || killed === undefined) throw new Error('there are two followers')
  paused.engine.child.kill('SIGSTOP')
  killed.engine.child.kill('SIGKILL')
  const before = network.answered
  await until(() => network.answered > before + 40)
  t.equal((await cluster.owner()).epoch, epoch, 'the owner stays')
  paused.engine.child.kill('SIGCONT')
  await killed.restart()
  await network.stop()
  t.same(await network.contradictions(), [], network.sent.length + ' messages')
  const { synced_seq: last } = await owner.engine.client.status()
  const reached = async (member: ClusterMember): Promise<boolean> =>
    (await member.engine.client.status()).synced_seq >= last
  await until(async () => (await reached(paused)) && (await reached(killed)))
  t.ok(await sameJournals(cluster))
})

/** Turns a byte in the middle of what the journal holds. */
function corrupt({ directory }: ClusterMember): void {
  const journal = join(directory, 'journal')
  const [segment] = readdirSync(journal)
    .filter((name) => /^\d+/.test(name))
    .sort()
    .map((name) => join(journal, name))
  if (segment === undefined) throw new Error('the journal has no segment')
  const file = openSync(segment, 'r+')
  writeSync(file, Buffer.from('corrupt'), 0, 7, Math.min(4096, statSync(segment).size >> 1))
}

test(
  'a member whose journal is corrupt is refused, and rebuilt from the others',
  NEEDS_ETCD,
  async (t) => {
    const { cluster } = await sharedLines()
    const network = networkOf(t, cluster)
    network.start(LANES)
    await until(() => network.answered > 60)
    const owner = await cluster.owning()
    const { epoch } = await cluster.owner()
    owner.engine.child.kill('SIGKILL')
    await owner.engine.exited
    await cluster.nextOwner(epoch)
    corrupt(owner)
    await t.rejects(owner.restart(), /corrupt|damaged|checksum|broken/i, 'it says what is wrong')
    owner.loseJournal()
    await owner.restart()
    await network.stop()
    t.same(await network.contradictions(), [], network.sent.length + ' messages')
    const next = await cluster.owning()
    const { synced_seq: last } = await next.engine.client.status()
    await until(async () => (await owner.engine.client.status()).synced_seq >= last)
    t.ok(await sameJournals(cluster))
  },
)

test('a front door that is killed leaves its messages to the other one', NEEDS_ETCD, async (t) => {
  const { cluster } = await sharedLines()
  const doors = [await startDoor(t, cluster), await startDoor(t, cluster)]
  const network = new Network(t, () => doors.map(({ port }) => port))
  network.start(LANES)
  await until(() => network.answered > 40)
  doors[0]?.child.kill('SIGKILL')
  const before = network.answered
  await until(() => network.answered > before + 40)
  await network.stop()
  t.same(await network.contradictions(), [], network.sent.length + ' messages')
  t.match(await doors[1]?.metrics(), /^svc_door_quarantined_total 0$/m, 'a door is no owner')
})
