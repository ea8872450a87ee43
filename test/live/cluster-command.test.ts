// `npm run cluster` as a person would run it: a process of its own, and the commands against it.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { COMPILED } from '../harness/compiled.ts'
import { NEEDS_ETCD } from '../harness/etcd.ts'
import { newDataDir } from '../harness/start.ts'
import { until } from '../harness/until.ts'

const SCRIPT = new URL('../../scripts/cluster.ts', import.meta.url).pathname
const START_MS_MAX = 240_000

function run(directory: string, words: readonly string[], path = process.env['PATH']) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...words], {
    encoding: 'utf8',
    env: { ...COMPILED, PATH: path, SVC_DATA_DIR: directory },
  })
  return { status, text: stdout + stderr }
}

function up(t: Test, directory: string): { child: ChildProcess; output(): string } {
  const child = spawn(process.execPath, [SCRIPT], {
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
  }, START_MS_MAX)
  const status = (): string => run(directory, ['status']).text
  t.match(status(), /owner mem_\w+ in epoch \d+/)
  // Every engine gets its config records from the api beside it.
  await until(() => (status().match(/may take over/g) ?? []).length === 2, START_MS_MAX)

  const epochOf = (): number => Number(/in epoch (\d+)/.exec(status())?.[1])
  const first = epochOf()
  t.match(run(directory, ['kill', 'owner']), { status: 0, text: 'was killed' })
  await until(() => epochOf() > first, START_MS_MAX)
  await until(() => (status().match(/may take over/g) ?? []).length === 2, START_MS_MAX)

  t.match(run(directory, ['handover']), { status: 0, text: /handed over; the owner is [abc]/ })
  t.match(run(directory, ['remove', 'a']), { status: 1, text: '--force' })
  t.match(run(directory, []), { status: 1, text: 'A cluster runs in' })
  cluster.child.kill('SIGTERM')
  await until(() => cluster.child.exitCode !== null, START_MS_MAX)
  t.equal(cluster.child.exitCode, 0, cluster.output())
})
