// The supervisor against small real processes: dead ones are restarted, dying ones reported,
// stopped ones gone.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { configCacheGuard } from '../../scripts/start/engine-cache.ts'
import { followLogFile, lastWordsOf, openLogFile } from '../../scripts/start/log-file.ts'
import { runNodeProcess } from '../../scripts/start/node-process.ts'
import { restartDelayMs, type Supervised, supervise } from '../../scripts/start/supervise.ts'
import { systemClock } from '../../shared/clock.ts'
import { happens, until } from '../harness/until.ts'

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
  const guard = configCacheGuard(directory, (line) => lines.push(line))
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

test('a killed process runs again', async (t) => {
  const { supervised, pids, lines } = watch(t, 'steady')
  await supervised.firstReady
  process.kill(pids[0]!, 'SIGKILL')
  await until(() => pids.length === 3)
  t.equal(pids[1], null)
  t.ok(alive(pids[2]!))
  t.match(lines, ['stand-in died (SIGKILL), starting it again'])
})

test('a process that keeps dying is reported with reason and log, and restarted ever more slowly', async (t) => {
  const file = join(t.testdir(), 'broken')
  const { supervised, pids, lines, logPath } = watch(t, 'steady', { file })
  await supervised.firstReady
  writeFileSync(file, '')
  process.kill(pids[0]!, 'SIGKILL')
  t.ok(await happens(() => lines.length >= 5))
  t.equal(
    lines[4],
    'stand-in keeps dying: 5 times in a row, last exit code 70: the disk is full. Next attempt in 1.6 s. Log: ' +
      logPath,
  )
  const delays = (ready: boolean) => [1, 2, 3, 6, 50].map((deaths) => restartDelayMs(deaths, ready))
  t.same(delays(false), [100, 200, 400, 3200, 5000])
  t.same(delays(true), [100, 200, 400, 800, 800], 'what was ready is back within a second')
})

test('a process that never becomes ready fails the start with its last words', async (t) => {
  const { supervised, pids } = watch(t, 'broken')
  await t.rejects(supervised.firstReady, {
    message: /^stand-in cannot start: exit code 70: the disk is full\. Log: /,
  })
  t.equal(pids.filter((pid) => pid !== null).length, 3, 'after three attempts')
})

test('stop ends a process, by force if necessary, and nothing starts again', async (t) => {
  const { supervised, pids } = watch(t, 'stubborn', { stopMsMax: 200 })
  await supervised.firstReady
  await supervised.stop()
  t.same(
    pids.map((pid) => pid === null),
    [false, true],
  )
  t.notOk(alive(pids[0]!))
})

test('two aborts soon after the start delete the config cache, one does not', async (t) => {
  const { supervised, lines, logPath } = watch(t, 'aborting')
  const configCache = join(logPath, '..', '..', 'facts')
  mkdirSync(configCache)
  await t.rejects(supervised.firstReady, { message: /^stand-in cannot start: SIGABRT/ })
  t.notOk(existsSync(configCache))
  t.equal(lines.filter((line) => line.startsWith('The config cache')).length, 1)

  const said: string[] = []
  const guard = configCacheGuard(t.testdir(), (line) => said.push(line))
  const abort = { code: null, signal: 'SIGSEGV', lastWords: null } as const
  await guard(abort, 100)
  await guard({ code: 1, signal: null, lastWords: null }, 100)
  await guard(abort, 100)
  await guard(abort, 60_000)
  t.same(said, [], 'only two early aborts in a row count')
})

test('only the owner can read the log', async (t) => {
  const { supervised, logPath } = watch(t, 'steady')
  await supervised.firstReady
  t.equal(statSync(logPath).mode & 0o777, 0o600)
})

test('a process runs and restarts although its log cannot be opened', async (t) => {
  const directory = t.testdir({ logs: 'a file where the directory should be' })
  const run = await runNodeProcess({
    script: STAND_IN,
    arguments: ['steady'],
    environment: {},
    logPath: join(directory, 'logs', 'stand-in.log'),
  })
  t.teardown(() => run.stop())
  await run.ready
  await run.stop()
  t.match(await run.exited, { code: 0, lastWords: null })
})

test('a log is cut while its process runs, and its lines are kept once', async (t) => {
  const path = join(t.testdir(), 'log')
  const log = await openLogFile(path)
  const lines: string[] = []
  const following = new AbortController()
  const followed = followLogFile(path, (line) => lines.push(line), following.signal)
  const line = '{"level":30,"msg":"' + 'x'.repeat(1000) + '"}\n'
  writeSync(Number(log.fd), line.repeat(9000))
  await until(() => statSync(path).size === 0)
  t.equal(statSync(path + '.1').size, 9000 * line.length)
  writeSync(Number(log.fd), '{"level":50,"msg":"after the cut"}\n')
  await until(() => lines.includes('error: after the cut'))
  t.equal(await lastWordsOf(path, 1_000_000), 'after the cut')
  following.abort()
  await followed
  await log.close()
})

test('a log that cannot be copied is cut all the same', async (t) => {
  const path = join(t.testdir(), 'log')
  const log = await openLogFile(path)
  mkdirSync(path + '.1')
  const following = new AbortController()
  const followed = followLogFile(path, () => undefined, following.signal)
  const line = '{"level":30,"msg":"' + 'x'.repeat(1000) + '"}\n'
  writeSync(Number(log.fd), line.repeat(9000))
  t.ok(await happens(() => statSync(path).size === 0))
  following.abort()
  await followed
  await log.close()
})

test('kill -9 of the supervisor leaves none of its processes', async (t) => {
  const child = spawn(process.execPath, [SUPERVISOR, t.testdir()], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (bytes) => {
    output += bytes
  })
  t.ok(await happens(() => output.split('\n').length === 3))
  const pids = output.trim().split('\n').map(Number)
  t.ok(pids.every(alive), 'both run')
  child.kill('SIGKILL')
  t.ok(await happens(() => !pids.some(alive)), 'both are gone')
})
