// No log blocks, slows or ends a process, whatever its descriptor does: lines are dropped and
// counted.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { newMasterKeyText } from '../../shared/keyring.ts'
import { buildShim, NO_COMPILER } from '../faults/disk/shim.ts'
import { COMPILED } from '../harness/compiled.ts'
import { freePorts } from '../harness/free-ports.ts'
import { drainPipe, fullPipe, HOSTILE_LOGS } from '../harness/log-fds.ts'
import { newDataDir } from '../harness/start.ts'
import { until } from '../harness/until.ts'

const LINES_MANY = 12_000
/** The system refuses each write at once, therefore each line is counted. */
const REFUSED = new Set(['a full device', 'a read-only file'])

interface Started {
  child: ChildProcess
  exited: Promise<unknown[]>
}

function startOn(t: Test, script: string, fd: number, environment = {}): Started {
  const child = spawn(process.execPath, [script], {
    env: { ...COMPILED, ...environment },
    stdio: ['ignore', fd, 'ignore', 'ipc'],
  })
  const exited = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await exited
  })
  return { child, exited }
}

/** A process that logs on command. */
function probeOn(t: Test, fd: number, environment = {}) {
  const { child, exited } = startOn(t, 'test/harness/log-process.ts', fd, environment)
  return {
    exited,
    async log(lines: number): Promise<number> {
      const answer = once(child, 'message')
      child.send({ lines })
      const [{ dropped }] = (await answer) as [{ dropped: number }]
      return dropped
    },
    logValues: (values: object) => void child.send({ values }),
    end: (how: string) => void child.send({ end: how }),
  }
}

for (const [name, openLog] of Object.entries(HOSTILE_LOGS)) {
  test('a process answers and ends with its own exit code with its log on ' + name, async (t) => {
    const probe = probeOn(t, openLog(t, t.testdir()))
    await probe.log(5)
    if (REFUSED.has(name)) await until(async () => (await probe.log(0)) === 5)
    probe.end('exit')
    t.same(await probe.exited, [3, null])
  })
}

test('waiting lines are bounded, and one line reports the dropped ones once there is space', async (t) => {
  const { fd, reader } = fullPipe(t, t.testdir())
  const probe = probeOn(t, fd)
  const dropped = await probe.log(LINES_MANY)
  t.ok(dropped > 0 && dropped < LINES_MANY, dropped + ' lines')
  let text = ''
  const logged = () =>
    text
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line))
  const count = () => text.split('"msg":"a line"}\n').length - 1
  await until(() => {
    text += drainPipe(reader)
    return count() === LINES_MANY - dropped
  })
  const notice = logged().find((line) => line.dropped_lines !== undefined)
  t.match(notice, { level: 40, name: 'probe', dropped_lines: dropped })
})

test('a terminal whose output nobody reads holds up no process', async (t) => {
  const { fd } = fullPipe(t, t.testdir())
  const { child, exited } = startOn(t, 'test/harness/log-process.ts', fd)
  const answer = once(child, 'message')
  child.send({ shown: LINES_MANY })
  const [{ dropped }] = (await answer) as [{ dropped: number }]
  t.ok(dropped > 0 && dropped < LINES_MANY, dropped + ' lines')
  child.send({ end: 'exit' })
  t.same(await exited, [3, null])
})

const SYNCHRONOUS = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_DSYNC

/** A probe whose log is on a disk each of whose writes takes so long; null without a compiler. */
function probeOnDisk(t: Test, writeUs: number) {
  const shim = buildShim(t)
  if (shim === null) return null
  const directory = t.testdir({})
  const path = join(directory, 'log')
  shim.slow(writeUs)
  const probe = probeOn(t, openSync(path, SYNCHRONOUS), shim.environment(directory))
  return { ...probe, shim, path }
}

test('a process whose log disk is slow answers, logs all and ends with its own exit code', async (t) => {
  const disk = probeOnDisk(t, 200_000)
  if (disk === null) return t.comment(NO_COMPILER)
  t.equal(await disk.log(5), 0)
  t.equal(await disk.log(50), 0)
  disk.end('exit')
  t.same(await disk.exited, [3, null])
  const lines = readFileSync(disk.path, 'utf8').split('\n')
  t.equal(lines.filter((line) => line.includes('"msg":"a line"')).length, 55)
  t.ok(disk.shim.counts().seen > 0, 'the disk was slow')
})

test('a process whose log disk hangs answers, bounds what waits and ends without it', async (t) => {
  const disk = probeOnDisk(t, 600_000_000)
  if (disk === null) return t.comment(NO_COMPILER)
  t.equal(await disk.log(5), 0)
  await until(() => disk.shim.counts().seen > 0)
  const dropped = await disk.log(LINES_MANY)
  t.ok(dropped > 0 && dropped < LINES_MANY, dropped + ' lines')
  t.equal(await disk.log(0), dropped, 'it answers while the write hangs')
  disk.end('exit')
  t.same(await disk.exited, [null, 'SIGKILL'], 'an exit would wait for the thread that hangs')
})

test('a pipe whose reader is gone drops lines', async (t) => {
  const child = spawn(process.execPath, ['test/harness/log-process.ts'], {
    env: COMPILED,
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  })
  const exited = once(child, 'exit')
  t.teardown(() => child.kill('SIGKILL'))
  child.stdout?.destroy()
  child.send({ lines: 3 })
  await once(child, 'message')
  await until(async () => {
    child.send({})
    const [{ dropped }] = (await once(child, 'message')) as [{ dropped: number }]
    return dropped === 3
  })
  child.send({ end: 'exit' })
  t.same(await exited, [3, null])
})

for (const [how, code, words] of [
  ['exit', 3, 'the last words'],
  ['throw', 70, 'nothing caught [pan]'],
] as const) {
  test('the last line is written before the process ends by ' + how, async (t) => {
    const path = join(t.testdir(), 'log')
    const probe = probeOn(t, openSync(path, 'a'))
    probe.end(how)
    t.same(await probe.exited, [code, null])
    t.match(readFileSync(path, 'utf8'), words)
  })
}

test('a line stays JSON when a number is cut that looks like a card’s', async (t) => {
  const path = join(t.testdir(), 'log')
  const probe = probeOn(t, openSync(path, 'a'))
  probe.logValues({ at: 1795906732990, pans: [4111111111111111, -4111111111111111], small: 12 })
  probe.logValues({ text: 'a "4111 1111 1111 1111": 4111111111111111, [4111111111111111]' })
  probe.end('exit')
  await probe.exited
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  const [numbers, texts] = lines.map((line) => JSON.parse(line))
  t.match(numbers, { at: '[pan]', pans: ['[pan]', '[pan]'], small: 12 })
  t.match(texts, { text: 'a "[pan]": [pan], [[pan]]' })
})

const PROCESSES = {
  engine: { script: 'engine/main.ts', port: 'SVC_ENGINE_PORT' },
  api: { script: 'api/main.ts', port: 'SVC_API_PORT' },
  dispatcher: { script: 'api/dispatcher.ts', port: 'SVC_DISPATCHER_PORT' },
} as const

function isAlive(port: number): Promise<boolean> {
  return fetch('http://127.0.0.1:' + port + '/health/live').then(
    ({ status }) => status === 200,
    () => false,
  )
}

/** Dropped lines on a process's metrics page. */
async function droppedBy(port: number): Promise<number> {
  const page = await (await fetch('http://127.0.0.1:' + port + '/metrics')).text()
  return Number(/^svc_log_lines_dropped_total (\d+)$/m.exec(page)?.[1])
}

for (const name of ['a full device', 'a pipe that nobody reads'] as const) {
  test(
    'engine, api and dispatcher answer and stop in order with their log on ' + name,
    async (t) => {
      const runs = Object.values(PROCESSES).map(async ({ script, port }) => {
        const [number = 0] = await freePorts(1)
        const fd = HOSTILE_LOGS[name]?.(t, newDataDir(t)) ?? -1
        const { child, exited } = startOn(t, script, fd, {
          SVC_DATA_DIR: newDataDir(t),
          SVC_MASTER_KEY: newMasterKeyText(),
          SVC_JOURNAL_SEGMENT_BYTES: String(1024 * 1024),
          SVC_LOG_LEVEL: 'debug',
          DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
          [port]: String(number),
        })
        // A dispatcher without PostgreSQL answers and is never ready.
        await until(() => isAlive(number))
        for (let asked = 0; asked < 20; asked++) t.equal(await isAlive(number), true)
        if (script === PROCESSES.engine.script && name === 'a full device')
          await until(async () => (await droppedBy(number)) > 0)
        child.kill('SIGTERM')
        t.same(await exited, [0, null])
      })
      await Promise.all(runs)
    },
  )
}
