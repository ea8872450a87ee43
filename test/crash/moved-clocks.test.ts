// Members of a shard whose system clocks are two minutes off, or leap back: such a member ends and
// does not take over, an owner leaves, and the others go on.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { type ClusterMember, objectionOf, startCluster, whole } from '../harness/cluster.ts'
import { Network, newBody } from '../harness/cluster-network.ts'
import { COMPILED } from '../harness/compiled.ts'
import { NEEDS_ETCD } from '../harness/etcd.ts'
import { file, perFile } from '../harness/per-file.ts'
import { newDataDir } from '../harness/start.ts'
import { happens, until } from '../harness/until.ts'

const LANES = 4
const OFF_MS = 120_000
const FAIL_STOP = 70
const MOVED = new URL('../harness/moved-clock.cjs', import.meta.url).pathname

/** A cluster whose members have a clock each that a test moves. */
const withClocks = perFile(async () => {
  const directory = newDataDir(file)
  mkdirSync(directory, { recursive: true })
  const fileOf = (name: string): string => join(directory, name)
  const write = (name: string, offsetMs: number): void =>
    writeFileSync(fileOf(name), String(offsetMs))
  for (const name of ['a', 'b', 'c']) write(name, 0)
  const cluster = await startCluster(file, {
    environmentOf: (name) => ({
      NODE_OPTIONS: COMPILED.NODE_OPTIONS + ' --require=' + MOVED,
      TEST_CLOCK_FILE: fileOf(name),
    }),
  })
  const move = ({ name, engine }: ClusterMember, offsetMs: number): void => {
    write(name, offsetMs)
    engine.child.kill('SIGUSR2')
  }
  return { cluster, move }
})

test('a follower two minutes ahead ends and takes nothing over', NEEDS_ETCD, async (t) => {
  const { cluster, move } = await withClocks()
  await whole(cluster)
  const network = new Network(t, () => cluster.members.map(({ engine }) => engine.port))
  await network.deliver(newBody())
  const owner = await cluster.owning()
  const [ahead, other] = cluster.members.filter((member) => member !== owner)
  if (ahead === undefined || other === undefined) throw new Error('there are three members')
  network.start(LANES)
  move(ahead, OFF_MS)
  t.equal(await ahead.engine.exited, FAIL_STOP)
  t.match(ahead.engine.output(), 'the clock was stepped by more than a minute')
  await ahead.restart()
  const refuses = async (): Promise<boolean> =>
    /clock/.test((await objectionOf(cluster, ahead)) ?? '')
  t.ok(await happens(refuses), 'with that clock it says why it may not take over')
  const { epoch } = await cluster.owner()
  owner.engine.child.kill('SIGKILL')
  await owner.engine.exited
  await cluster.nextOwner(epoch)
  t.equal(await cluster.owning(), other, 'the member with a good clock owns the shard')
  const before = network.answered
  await until(() => network.answered > before + 20)
  await owner.restart()
  await network.stop()
  t.same(await network.contradictions(), [])
  // Its clock was refused, so nothing depends on the step back.
  move(ahead, 0)
  const isAble = async (): Promise<boolean> => (await objectionOf(cluster, ahead)) === null
  t.ok(await happens(isAble), 'with its clock put right it may take over')
})

test('an owner whose clock leaps back ends, and another owns the shard', NEEDS_ETCD, async (t) => {
  const { cluster, move } = await withClocks()
  await whole(cluster)
  const network = new Network(t, () => cluster.members.map(({ engine }) => engine.port))
  network.start(LANES)
  await until(() => network.answered > 40)
  const owner = await cluster.owning()
  const { epoch } = await cluster.owner()
  move(owner, -OFF_MS)
  t.equal(await owner.engine.exited, FAIL_STOP)
  t.match(owner.engine.output(), 'the clock was stepped by more than a minute')
  await cluster.nextOwner(epoch)
  const before = network.answered
  await until(() => network.answered > before + 20)
  await network.stop()
  t.same(await network.contradictions(), [], 'nothing was decided by the clock that leapt')
})
