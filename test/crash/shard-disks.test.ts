// A shard whose follower has a bad disk, and one that PostgreSQL drains nothing from: the owner
// goes on, and etcd forgets what two members hold.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { needsCompiler, needsMount } from '../faults/disk/needs.ts'
import { mountMemory } from '../faults/disk/no-room.ts'
import { buildShim, NO_COMPILER } from '../faults/disk/shim.ts'
import {
  type Cluster,
  type ClusterMember,
  objectionOf,
  startCluster,
  whole,
} from '../harness/cluster.ts'
import { Network } from '../harness/cluster-network.ts'
import { NEEDS_ETCD, ranged } from '../harness/etcd.ts'
import { repeats } from '../harness/long.ts'
import { file, perFile } from '../harness/per-file.ts'
import type { Teardown } from '../harness/postgres.ts'
import { SEGMENT_BYTES } from '../harness/segment-bytes.ts'
import { until } from '../harness/until.ts'

const LANES = 6
const SLOW_US = 500_000
/** A segment, and no spare beside its small files. */
const JOURNAL_BYTES = 2 * SEGMENT_BYTES
/** Seconds of load without a drain; the row of the table has an hour: `npm run faults`. */
const SECONDS = Number(process.env['SVC_TEST_SECONDS'] ?? repeats(4, 8))
/** Trimming begins every two seconds; a busy machine writes few batches meanwhile. */
const BATCHES_MAX = 2500

function networkOf(t: Test, { members }: Pick<Cluster, 'members'>): Network {
  return new Network(t, () => members.map(({ engine }) => engine.port))
}

/** A directory of its own for each name. */
function directories(t: Teardown): (name: string) => string {
  const root = mkdtempSync(join(tmpdir(), 'svc-disks-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  return (name) => {
    mkdirSync(join(root, name), { recursive: true })
    return join(root, name)
  }
}

async function stillOwns(cluster: Cluster, network: Network): Promise<ClusterMember> {
  const { epoch } = await cluster.owner()
  const before = network.answered
  await until(() => network.answered > before + 100)
  if ((await cluster.owner()).epoch !== epoch) throw new Error('the owner changed')
  return cluster.owning()
}

/** A cluster that a test leaves whole; the disk of one member gets slow where a compiler is. */
const shared = perFile(async () => {
  const shim = buildShim(file)
  const directoryOf = directories(file)
  const cluster = await startCluster(file, {
    directoryOf,
    // A machine that is busy with other tests is slow as well.
    environment: { SVC_OWNER_SILENT_MS: '6000' },
    environmentOf: (name) =>
      name === 'c' ? (shim?.environment(directoryOf('c') + '/journal') ?? {}) : {},
  })
  return { cluster, shim }
})

const SLOW = { ...NEEDS_ETCD, ...needsCompiler() }
const FULL = { ...NEEDS_ETCD, ...needsMount() }

test('a follower whose disk takes half a second a sync costs no owner', SLOW, async (t) => {
  const { cluster, shim } = await shared()
  if (shim === null) throw new Error(NO_COMPILER)
  const network = networkOf(t, cluster)
  network.start(LANES)
  await until(() => network.answered > 20)
  const slow = cluster.members.find(({ name }) => name === 'c')
  t.not(await cluster.owning(), slow)
  shim.slow(SLOW_US)
  await stillOwns(cluster, network)
  t.ok(shim.counts().seen > 0, 'its journal is on the slow disk')
  shim.slow(0)
  await network.stop()
  t.same(await network.contradictions(), [], network.sent.length + ' messages')
})

test('a follower without room says so and costs no owner', FULL, async (t) => {
  const directoryOf = directories(t)
  if (!mountMemory(t, join(directoryOf('c'), 'journal'), JOURNAL_BYTES))
    throw new Error('the journal has no disk of its own')
  const cluster = await startCluster(t, {
    directoryOf,
    environment: {
      SVC_OWNER_SILENT_MS: '6000',
      SVC_SNAPSHOT_ENTRIES: '1000000',
    },
  })
  const network = networkOf(t, cluster)
  network.start(LANES, 0)
  const full = cluster.members.find(({ name }) => name === 'c')
  if (full === undefined) throw new Error('there are three members')
  await until(async () => (await objectionOf(cluster, full)) === 'no room on disk')
  const owner = await stillOwns(cluster, network)
  t.not(owner, full)
  await network.stop()
  t.same(await network.contradictions(), [], network.sent.length + ' messages')
})

test('etcd stays small while PostgreSQL drains nothing', NEEDS_ETCD, async (t) => {
  const { cluster } = await shared()
  await whole(cluster)
  const network = networkOf(t, cluster)
  network.start(LANES, 0)
  const held = async (): Promise<number> => {
    const { logBegin, logEnd } = cluster.keys
    const read = await ranged(cluster.store, [{ from: logBegin, until: logEnd }])
    return read.outcome === 'read' ? (read.reads[0]?.length ?? 0) : 0
  }
  let most = 0
  const sinceMs = performance.now()
  await until(
    async () => {
      most = Math.max(most, await held())
      return performance.now() - sinceMs > SECONDS * 1000
    },
    SECONDS * 1000 + 120_000,
  )
  await network.stop()
  t.ok(most > 1 && most < BATCHES_MAX, 'at most ' + most + ' batches of ' + network.sent.length)
  // The last decisions go as well, but for the newest batch.
  await until(async () => (await held()) === 1)
  const { drained_seq: drained } = await (await cluster.owning()).engine.client.status()
  t.equal(drained, 0)
  t.same(await network.contradictions(), [])
})
