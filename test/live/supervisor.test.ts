// The supervisor against small real processes: what dies comes back, what keeps dying is said, what stops is gone.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { factsCacheGuard } from '../../scripts/start/engine-cache.ts'
import { runNodeProcess } from '../../scripts/start/node-process.ts'
import { restartDelayMs, type Supervised, supervise } from '../../scripts/start/supervise.ts'
import { systemClock } from '../../shared/clock.ts'
import { happens } from '../harness/until.ts'

const STAND_IN = new URL('../harness/stand-in-process.ts', import.meta.url).pathname
const SUPERVISOR = new URL('../harness/supervisor-process.ts', import.meta.url).pathname

interface Watched {
  supervised: Supervised
  lines: string[]
  /** Every pid it had, in order; null for every death. */
  pids: (number | null)[]
  logPath: string
}

function watch(
  t: Test,
  behaviour: string,
  options: { file?: string; stopMsMax?: number } = {},
): Watched {
  const lines: string[] = []
  const pids: (number | null)[] = []
  const directory = t.testdir()
  const logPath = join(directory, 'logs', 'stand-in.log')
  const guard = factsCacheGuard(directory, (line) => lines.push(line))
  const supervised = supervise({
    name: 'stand-in',
    clock: systemClock,
    logPath,
    launch: () =>
      runNodeProcess({
        script: STAND_IN,
        arguments: [behaviour, ...(options.file === undefined ? [] : [options.file])],
        environment: {},
        logPath,
        ...(options.stopMsMax === undefined ? {} : { stopMsMax: options.stopMsMax }),
      }),
    onDeath: guard,
    onPid: (pid) => pids.push(pid),
    say: (line) => lines.push(line),
  })
  t.teardown(() => supervised.stop())
  return { supervised, lines, pids, logPath }
}

function alive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync('/proc/' + pid + '/stat', 'utf8'))
  } catch {
    return false
  }
}

test('a killed process runs again within a second', async (t) => {
  const { supervised, pids, lines } = watch(t, 'steady')
  await supervised.firstReady
  process.kill(pids[0]!, 'SIGKILL')
  t.ok(await happens(() => pids.length === 3, 1000), 'a second one within a second')
  t.equal(pids[1], null)
  t.ok(alive(pids[2]!))
  t.match(lines, ['stand-in died (SIGKILL), starting it again'])
})

test('one that keeps dying is said to, with the reason and the log, and tried ever more slowly', async (t) => {
  const file = join(t.testdir(), 'broken')
  const { supervised, pids, lines, logPath } = watch(t, 'steady', { file })
  await supervised.firstReady
  writeFileSync(file, '')
  process.kill(pids[0]!, 'SIGKILL')
  t.ok(await happens(() => lines.length >= 5, 10_000))
  t.equal(
    lines[4],
    'stand-in keeps dying: 5 times in a row, last exit code 70: the disk is full. Next attempt in 1.6 s. Log: ' +
      logPath,
  )
  const delays = (ready: boolean) => [1, 2, 3, 6, 50].map((deaths) => restartDelayMs(deaths, ready))
  t.same(delays(false), [100, 200, 400, 3200, 5000])
  t.same(delays(true), [100, 200, 400, 800, 800], 'what was ready is back within a second')
})

test('one that never becomes ready fails the start with its last words', async (t) => {
  const { supervised, pids } = watch(t, 'broken')
  await t.rejects(supervised.firstReady, {
    message: /^stand-in cannot start: exit code 70: the disk is full\. Log: /,
  })
  t.equal(pids.filter((pid) => pid !== null).length, 3, 'after three attempts')
})

test('stop ends the process, by force where it does not listen, and nothing starts again', async (t) => {
  const { supervised, pids } = watch(t, 'stubborn', { stopMsMax: 200 })
  await supervised.firstReady
  await supervised.stop()
  t.same(
    pids.map((pid) => pid === null),
    [false, true],
  )
  t.notOk(alive(pids[0]!))
})

test('two aborts soon after the start delete the facts cache, one does not', async (t) => {
  const { supervised, lines, logPath } = watch(t, 'aborting')
  const facts = join(logPath, '..', '..', 'facts')
  mkdirSync(facts)
  await t.rejects(supervised.firstReady, { message: /^stand-in cannot start: SIGABRT/ })
  t.notOk(existsSync(facts))
  t.equal(lines.filter((line) => line.startsWith('the facts cache')).length, 1)

  const said: string[] = []
  const guard = factsCacheGuard(t.testdir(), (line) => said.push(line))
  const abort = { code: null, signal: 'SIGSEGV', lastWords: null } as const
  await guard(abort, 100)
  await guard({ code: 1, signal: null, lastWords: null }, 100)
  await guard(abort, 100)
  await guard(abort, 60_000)
  t.same(said, [], 'only two early aborts in a row count')
})

test('the log is private', async (t) => {
  const { supervised, logPath } = watch(t, 'steady')
  await supervised.firstReady
  t.equal(statSync(logPath).mode & 0o777, 0o600)
})

test('kill -9 of the supervisor leaves none of its processes', async (t) => {
  const child = spawn(process.execPath, [SUPERVISOR, t.testdir()], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (bytes) => {
    output += bytes
  })
  t.ok(await happens(() => output.split('\n').length === 3, 10_000))
  const pids = output.trim().split('\n').map(Number)
  t.ok(pids.every(alive), 'both run')
  child.kill('SIGKILL')
  t.ok(await happens(() => !pids.some(alive), 3000), 'both are gone')
})
