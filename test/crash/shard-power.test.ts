// The power of all machines of a shard is cut at once, again and again: journals, etcd's disks,
// everything. A real file system loses what was not synced.
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { openCutDisk } from '../faults/disk/cut-disk.ts'
import { needsCutDisk } from '../faults/disk/needs.ts'
import { type Cluster, journalOf, startCluster } from '../harness/cluster.ts'
import { Network } from '../harness/cluster-network.ts'
import { NEEDS_ETCD } from '../harness/etcd.ts'
import { repeats } from '../harness/long.ts'
import { until } from '../harness/until.ts'
import { Random } from '../simulation/random.ts'

const LANES = 4
/** The whole row has 300: `npm run faults -- --only 58`. */
const CUTS = Number(process.env['SVC_TEST_CUTS'] ?? repeats(1, 3))

/** Ends what the cut left running, as a machine without power does. */
async function endAll({ nodes, members }: Cluster): Promise<void> {
  for (const { engine } of members) engine.child.kill('SIGKILL')
  await Promise.all([
    ...members.map(({ engine }) => engine.exited),
    ...nodes.map((node) => node.stop()),
  ])
}

test(
  'a cut of the power loses what was not synced, and nothing else',
  needsCutDisk(),
  async (t) => {
    const disk = openCutDisk(t)
    if (typeof disk === 'string') throw new Error(disk)
    const [synced, unsynced] = ['synced', 'unsynced'].map((name) => join(disk.directory, name))
    for (const path of [synced, unsynced]) {
      const file = openSync(path ?? '', 'w')
      writeSync(file, 'here')
      if (path === synced) fsyncSync(file)
      closeSync(file)
    }
    disk.cut()
    t.throws(() => writeFileSync(join(disk.directory, 'late'), 'never'))
    await disk.mount()
    t.equal(readFileSync(synced ?? '', 'utf8'), 'here')
    t.equal(existsSync(unsynced ?? '') ? readFileSync(unsynced ?? '', 'utf8') : '', '')
  },
)

test('nothing that was answered is lost when the power of every machine is cut', {
  ...NEEDS_ETCD,
  ...needsCutDisk(),
}, async (t) => {
  const disk = openCutDisk(t)
  if (typeof disk === 'string') throw new Error(disk)
  const on = (name: string): string => {
    const directory = join(disk.directory, name)
    mkdirSync(directory, { mode: 0o700 })
    return directory
  }
  const cluster = await startCluster(t, { directoryOf: on })
  const { members, nodes } = cluster
  const network = new Network(t, () => members.map(({ engine }) => engine.port))
  network.start(LANES)
  const random = new Random(8)
  for (let cut = 0; cut < CUTS; cut++) {
    const { epoch } = await cluster.owner()
    const before = network.answered
    await until(() => network.answered > before + 20 + random.below(60))
    disk.cut()
    await endAll(cluster)
    await disk.mount()
    for (const node of nodes) node.start()
    await Promise.all(members.map((member) => member.restart()))
    await cluster.nextOwner(epoch)
  }
  await network.stop()
  t.same(await network.contradictions(), [], network.sent.length + ' messages')
  const ends = await Promise.all(
    members.map(async ({ engine }) => (await engine.client.status()).synced_seq),
  )
  const last = Math.max(...ends)
  await until(async () => {
    const synced = members.map(async ({ engine }) => (await engine.client.status()).synced_seq)
    return (await Promise.all(synced)).every((seq) => seq >= last)
  })
  const journals = await Promise.all(members.map((member) => journalOf(member)))
  const equal = journals.map((journal) => journal.slice(0, last).join())
  t.equal(new Set(equal).size, 1, 'every journal holds the same ' + last + ' entries')
})
