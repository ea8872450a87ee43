// `npm run cluster` as a person would run it: a process of its own, and the commands against it.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { COMPILED } from '../harness/compiled.ts'
import { NEEDS_ETCD } from '../harness/etcd.ts'
import { newDataDir } from '../harness/start.ts'
import { until } from '../harness/until.ts'

const SCRIPT = new URL('../../scripts/cluster.ts', import.meta.url).pathname

function run(directory: string, words: readonly string[], path = process.env['PATH']) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...words], {
    encoding: 'utf8',
    env: { ...COMPILED, PATH: path, SVC_DATA_DIR: directory },
  })
  return { status, text: stdout + stderr }
}

function up(t: Test, directory: string): { child: ChildProcess; output(): string } {
  const child = spawn(process.execPath, [SCRIPT, '--shards', '2'], {
    env: {
      ...COMPILED,
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      SVC_DATA_DIR: directory,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (bytes) => {
      output += bytes
    })
  t.teardown(async () => {
    if (child.exitCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
  })
  return { child, output: () => output }
}

test('without etcd the command says how to get it', (t) => {
  const directory = newDataDir(t)
  const { status, text } = run(directory, [], '/nowhere')
  t.equal(status, 1)
  t.match(text, 'apt-get install etcd-server')
  t.match(text, 'SVC_ETCD_BIN')
  t.end()
})

test('commands need a cluster that runs, and a name', (t) => {
  const directory = newDataDir(t)
  t.match(run(directory, ['status']), {
    status: 1,
    text: 'No cluster runs in ' + join(directory, 'cluster'),
  })
  t.match(run(directory, ['kill', '../x']), { status: 1, text: 'named by one letter' })
  t.match(run(directory, ['explode']).text, 'npm run cluster -- status')
  t.end()
})

test('a cluster starts, survives its commands and stops', NEEDS_ETCD, async (t) => {
  const directory = newDataDir(t)
  const cluster = up(t, directory)
  await until(() => {
    if (cluster.child.exitCode !== null) throw new Error(cluster.output())
    return cluster.output().includes('front door)')
  })
  const status = (): string => run(directory, ['status']).text
  const followersReady = (count: number): Promise<void> =>
    until(() => (status().match(/may take over/g) ?? []).length === count)
  t.match(status(), /shard s1 of cell main: owner mem_\w+ in epoch \d+/)
  t.match(status(), /shard s2 of cell main: owner mem_\w+ in epoch \d+/)
  // Every engine gets its config records from the api beside it.
  await followersReady(4)

  const epochOf = (shard: string): number =>
    Number(new RegExp('shard ' + shard + ' .* in epoch (\\d+)').exec(status())?.[1])
  const first = epochOf('s1')
  t.match(run(directory, ['kill', 'owner']), { status: 0, text: 'was killed' })
  await until(() => epochOf('s1') > first)
  await followersReady(4)

  const handOver = ['handover', '--shard', 's2']
  t.match(run(directory, handOver), { status: 0, text: /handed over; the owner is [abc]/ })
  await followersReady(4)
  const before = epochOf('s1')
  t.match(run(directory, ['pause', 'owner']), { status: 0, text: 'stands still' })
  await until(() => epochOf('s1') > before)
  const [, name = ''] = /^(\w) .*does not answer$/m.exec(status()) ?? []
  t.match(run(directory, ['continue', name, '--shard', 's1']), { status: 0, text: 'goes on' })
  await followersReady(4)
  t.match(run(directory, ['lose', name]), { status: 0, text: 'is another member now' })
  t.match(run(directory, ['add', 'd']), { status: 0, text: 'Machine d follows' })
  await followersReady(6)
  t.match(run(directory, ['remove', 'd']), { status: 0, text: 'its directory stays' })
  t.match(run(directory, ['remove', 'a']), { status: 1, text: '--force' })
  const earlier = epochOf('s2')
  t.match(run(directory, ['adopt', '--shard', 's2']), {
    status: 0,
    text: /Shard s2 goes on with the journal of [abc] up to entry \d+, after epoch \d+/,
  })
  t.ok(epochOf('s2') > earlier + 1)
  await followersReady(4)
  const databases = (of: string): RegExp =>
    new RegExp('^' + of.replaceAll('\n', '\nPostgreSQL ').replace(/^/, 'PostgreSQL '), 'm')
  t.match(status(), databases('a  PRIMARY  2 standbys stream\nb  standby\nc  standby'))
  t.match(run(directory, ['promote', 'x']), { status: 1, text: 'No standby x' })
  t.match(run(directory, ['promote']), { status: 0, text: /[bc] is the primary; a was copied/ })
  t.match(status(), databases('a  standby'))
  t.match(status(), /^PostgreSQL [bc] {2}PRIMARY {2}2 standbys stream$/m)
  const [, api = ''] = /API of a: (\S+)/.exec(cluster.output()) ?? []
  await until(async () => (await fetch(api + '/health/ready')).status === 200)
  await followersReady(4)
  t.match(run(directory, ['handover', '--shard', 's3']), { status: 1, text: 'no shard s3' })
  t.match(run(directory, []), { status: 1, text: 'A cluster runs in' })
  cluster.child.kill('SIGTERM')
  await until(() => cluster.child.exitCode !== null)
  t.equal(cluster.child.exitCode, 0, cluster.output())
})
