// Engine processes as members of a shard over a real etcd. The owner is killed or paused, a member
// loses its disk, all under load. No answer is lost and none is contradicted.
import { type Test, test } from 'tap'
import { EngineError } from '../../api/engine-link/engine-error.ts'
import {
  type Cluster,
  type ClusterMember,
  journalOf,
  objectionOf,
  reportsOf,
  startCluster,
  whole,
} from '../harness/cluster.ts'
import { Network, newBody, sendOnce } from '../harness/cluster-network.ts'
import { NEEDS_ETCD, ranged, settled } from '../harness/etcd.ts'
import { repeats } from '../harness/long.ts'
import { file, perFile } from '../harness/per-file.ts'
import { until } from '../harness/until.ts'

const LANES = 4
const OWNERS_KILLED = repeats(1, 2)
/** Reports of two followers, one a second each, in more time than they wait for an owner. */
const KEPT_REPORTS = 8

/** Each test but the last leaves the cluster whole. Snapshots are short for it. */
const shared = perFile(() => startCluster(file, { environment: { SVC_SNAPSHOT_ENTRIES: '300' } }))

function networkOf(t: Test, { members }: Cluster): Network {
  return new Network(t, () => members.map(({ engine }) => engine.port))
}

/** Snapshots come with entries, and entries slowly on a busy machine. */
const TRIMMED_MS_MAX = 240_000

/** Whether the log in etcd has lost its first entry. */
async function isLogTrimmed({ store, keys }: Cluster): Promise<boolean> {
  const read = await ranged(store, [{ from: keys.logBegin, until: keys.log(1) + '\0' }])
  return read.outcome === 'read' && read.reads[0]?.length === 0
}

/** The first entry that each member keeps. */
function firstsOf(members: readonly ClusterMember[]): Promise<number[]> {
  return Promise.all(members.map(async ({ engine }) => (await engine.client.status()).first_seq))
}

/** Waits until every member has synced the same entries, and compares what all of them keep. */
async function sameJournals(t: Test, members: readonly ClusterMember[]): Promise<void> {
  const last = async (): Promise<number[]> =>
    Promise.all(members.map(async ({ engine }) => (await engine.client.status()).synced_seq))
  await until(async () => new Set(await last()).size === 1)
  let journals: string[][] = []
  await until(async () => {
    const from = Math.max(...(await firstsOf(members)))
    try {
      journals = await Promise.all(members.map((member) => journalOf(member, from)))
      return true
    } catch (error) {
      // A member trimmed its journal meanwhile.
      if (error instanceof EngineError && error.status === 410) return false
      throw error
    }
  })
  const [first = []] = journals
  t.ok(first.length > 0)
  for (const journal of journals) t.ok(journal.join() === first.join(), 'the journals are equal')
}

test('a follower takes no snapshot because PostgreSQL drained', NEEDS_ETCD, async (t) => {
  const cluster = await whole(await shared())
  const network = networkOf(t, cluster)
  const owner = await cluster.owning()
  const followers = cluster.members.filter((member) => member !== owner)
  // Followers hear once a second what was drained: a snapshot of the first round would be there.
  for (let round = 0; round < 5; round++) {
    await network.deliver(newBody())
    const { journal_id: journalId, synced_seq: seq } = await owner.engine.client.status()
    await owner.engine.client.drained({ journal_id: journalId, seq })
    await until(async () => {
      const all = await Promise.all(followers.map(({ engine }) => engine.client.status()))
      return all.every(({ drained_seq: drained }) => drained >= seq)
    })
  }
  for (const { engine } of followers) t.notMatch(engine.output(), 'snapshot taken')
})

test(
  'the owner is killed under load: another answers, and nothing is lost',
  NEEDS_ETCD,
  async (t) => {
    const cluster = await whole(await shared())
    const network = networkOf(t, cluster)
    network.start(LANES)
    await until(() => network.answered > 60)
    for (let round = 1; round <= OWNERS_KILLED; round++) {
      const owner = await cluster.owning()
      const { epoch } = await cluster.owner()
      owner.engine.child.kill('SIGKILL')
      const next = await cluster.nextOwner(epoch)
      t.ok(next.epoch > epoch, 'a later epoch')
      const before = network.answered
      await until(() => network.answered > before + 40)
      await owner.restart()
    }
    await network.stop()
    t.same(await network.contradictions(), [], network.sent.length + ' messages')
    await sameJournals(t, cluster.members)
  },
)

test(
  'a paused owner is refused at its first batch and ends with code 75',
  NEEDS_ETCD,
  async (t) => {
    const cluster = await whole(await shared())
    const network = networkOf(t, cluster)
    network.start(LANES)
    await until(() => network.answered > 60)
    const paused = await cluster.owning()
    const { epoch } = await cluster.owner()
    paused.engine.child.kill('SIGSTOP')
    // These reach its sockets while it stands still: it decides them when it goes on.
    const late = Array.from({ length: 20 }, () => newBody())
    const replies = late.map(({ body }) => sendOnce(paused.engine.port, body, 30_000))
    await cluster.nextOwner(epoch)
    const others = new Network(t, () =>
      cluster.members.filter((member) => member !== paused).map(({ engine }) => engine.port),
    )
    for (const message of late) await others.deliver(message)
    paused.engine.child.kill('SIGCONT')
    t.equal(await paused.engine.exited, 75, paused.engine.output())
    const answered = (await Promise.all(replies)).filter((reply) => reply?.status === 200)
    t.same(answered, [], 'it answered nothing that the next owner decided')
    await paused.restart()
    await network.stop()
    t.same(await network.contradictions(), [])
    t.same(await others.contradictions(), [])
    await sameJournals(t, cluster.members)
  },
)

test('nobody takes over whose entries a living member does not read', NEEDS_ETCD, async (t) => {
  const cluster = await whole(await shared())
  const { store, keys } = cluster
  const owner = await cluster.owning()
  const { epoch } = await cluster.owner()
  const [report] = await reportsOf(cluster)
  const older = Buffer.from(JSON.stringify({ ...report, network: '', speaks: 0 }))
  const put = { write: 'put' as const, key: keys.member('mem_older'), value: older }
  const isKept = async (): Promise<boolean> => {
    await settled(store, { compares: [], writes: [put], otherwise: [] })
    const others = cluster.members.filter((member) => member !== owner)
    const reasons = await Promise.all(others.map((member) => objectionOf(cluster, member)))
    return reasons.every((why) => why?.startsWith('member mem_older does not read') === true)
  }
  await until(isKept)
  owner.engine.child.kill('SIGKILL')
  await owner.engine.exited
  const moments = new Set<number>()
  await until(async () => {
    for (const { clock_ms: moment } of await reportsOf(cluster)) moments.add(moment)
    return (await isKept()) && moments.size > KEPT_REPORTS
  })
  t.equal((await cluster.owner()).epoch, epoch)
  // Its reports end, and the members count it as gone.
  await cluster.nextOwner(epoch)
  await owner.restart()
})

test('a member that lost its disk comes back as another member', NEEDS_ETCD, async (t) => {
  const cluster = await whole(await shared())
  const network = networkOf(t, cluster)
  network.start(4 * LANES, 0)
  const owner = await cluster.owning()
  const [lost] = cluster.members.filter((member) => member !== owner)
  if (lost === undefined) throw new Error('there are three members')
  lost.engine.child.kill('SIGKILL')
  await lost.engine.exited
  // Neither the others nor etcd keep an entry that PostgreSQL and two snapshots have.
  const living = cluster.members.filter((member) => member !== lost)
  const drained = async (): Promise<void> => {
    // The shard may have another owner by now.
    const { client } = (await cluster.owning()).engine
    const { journal_id: journalId, synced_seq: seq } = await client.status()
    await client.drained({ journal_id: journalId, seq })
  }
  await until(async () => {
    await drained()
    return Math.min(...(await firstsOf(living))) > 1 && (await isLogTrimmed(cluster))
  }, TRIMMED_MS_MAX)
  lost.loseJournal()
  await lost.restart()
  t.match(lost.engine.output(), 'fetching a snapshot of a member')
  const before = network.answered
  await until(() => network.answered > before + 40)
  await network.stop()
  const { first_seq: from } = await lost.engine.client.status()
  t.ok(from > 1, 'its journal begins with entry ' + from)
  await sameJournals(t, cluster.members)
  // It owns the shard with the state that it fetched.
  for (const member of cluster.members) if (member !== lost) member.engine.child.kill('SIGKILL')
  await until(async () => (await cluster.owning()) === lost)
  const alone = new Network(t, () => [lost.engine.port])
  alone.sent.push(...network.sent)
  t.same(await alone.contradictions(), [], network.sent.length + ' messages')
})
