// Processes beside the engine yield to it, in any session.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { availableParallelism, getPriority } from 'node:os'
import { type Test, test } from 'tap'
import {
  keepOff,
  keepPriorityLow,
  lowerPriority,
  lowestPriority,
  raisePriority,
  threadsApart,
} from '../../scripts/start/process-priority.ts'
import { type Clock, sleep, systemClock } from '../../shared/clock.ts'

const GROUPS = existsSync('/proc/self/autogroup')
/** Starts a child in its own session for every byte that it reads, and reports its pid. */
const PARENT = `
  const { spawn } = require('node:child_process')
  process.stdin.on('data', () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' })
    process.stdout.write(child.pid + '\\n')
  })`

/** Writes a file with its thread pool, and reports it. */
const WRITES = `
  require('node:fs').stat('.', () => process.stdout.write('.'))
  setInterval(() => {}, 1000)`

function groupOf(pid: number | string): string {
  return GROUPS ? readFileSync('/proc/' + pid + '/autogroup', 'utf8').trim() : 'nice 5'
}

function startParent(t: Test, detached: boolean): { pid: number; child(): Promise<number> } {
  const parent: ChildProcess = spawn(process.execPath, ['-e', PARENT], { detached })
  t.teardown(() => parent.kill('SIGKILL'))
  return {
    pid: parent.pid ?? 0,
    child: () =>
      new Promise((resolve) => {
        parent.stdout?.once('data', (text) => {
          t.teardown(() => process.kill(Number(text), 'SIGKILL'))
          resolve(Number(text))
        })
        parent.stdin?.write('.')
      }),
  }
}

test('a process of another session is lowered with its session', async (t) => {
  const { pid } = startParent(t, true)
  lowerPriority(pid)
  t.equal(getPriority(pid), 10)
  t.match(groupOf(pid), / ?nice 5$/)
})

test('a lowest-priority process ranks below a lowered one', async (t) => {
  const { pid } = startParent(t, true)
  lowestPriority(pid)
  t.equal(getPriority(pid), 10)
  t.match(groupOf(pid), GROUPS ? / nice 10$/ : '')
})

test('the engine’s session is raised if the process has the right to', async (t) => {
  const { pid } = startParent(t, true)
  const before = groupOf(pid)
  raisePriority(pid)
  t.equal(groupOf(pid), mayRaise() ? before.replace(/nice .*/, 'nice -10') : before)
  t.equal(getPriority(pid), 0, 'in its session it is like every other')
})

/** True with the rights of root (CAP_SYS_NICE, capability 23). */
function mayHurry(): boolean {
  const status = readFileSync('/proc/self/status', 'utf8')
  const capabilities = BigInt('0x' + (/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'))
  return ((capabilities >> 23n) & 1n) === 1n
}

/** True if Linux also groups processes. */
function mayRaise(): boolean {
  return GROUPS && mayHurry()
}

const REAL_TIME = 'SCHED_FIFO'

function threadsOf(pid: number): { id: string; name: string }[] {
  return readdirSync('/proc/' + pid + '/task').map((id) => ({
    id,
    name: readFileSync('/proc/' + pid + '/task/' + id + '/comm', 'utf8').trim(),
  }))
}

/** The scheduling policies of a process's threads as `chrt` reports them, by thread name. */
function policiesOf(pid: number): { writers: string[]; others: string[] } {
  const policies: { writers: string[]; others: string[] } = { writers: [], others: [] }
  for (const { id, name } of threadsOf(pid)) {
    const { stdout } = spawnSync('chrt', ['--pid', id], { encoding: 'utf8' })
    const policy = /policy: (\S+)/.exec(stdout ?? '')?.[1] ?? 'unknown'
    policies[name === 'libuv-worker' ? 'writers' : 'others'].push(policy)
  }
  return policies
}

test('only threads that write the journal get real-time priority, with the right to it', async (t) => {
  const child = spawn(process.execPath, ['-e', WRITES])
  t.teardown(() => child.kill('SIGKILL'))
  await new Promise((resolve) => child.stdout.once('data', resolve))
  const pid = child.pid ?? 0
  threadsApart(pid)
  if (mayHurry() && spawnSync('chrt', ['--version']).status === 0) {
    while (!policiesOf(pid).writers.every((policy) => policy === REAL_TIME)) await sleep(10)
  }
  const { writers, others } = policiesOf(pid)
  t.equal(writers.length, 4)
  t.notOk(others.includes(REAL_TIME))
})

/** Numbers of the processors that a thread may use, in the system's list format. */
function processorsOf(pid: number, thread: string | number): string {
  const status = readFileSync('/proc/' + pid + '/task/' + thread + '/status', 'utf8')
  return /^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? ''
}

test('the other threads leave the processor of the deciding thread, the second one for every second shard', async (t) => {
  for (const half of ['first', 'second'] as const) await decidesOn(t, half)
})

async function decidesOn(t: Test, half: 'first' | 'second'): Promise<void> {
  const child = spawn(process.execPath, ['-e', WRITES])
  t.teardown(() => child.kill('SIGKILL'))
  await new Promise((resolve) => child.stdout.once('data', resolve))
  const pid = child.pid ?? 0
  const all = processorsOf(pid, pid)
  const others = threadsOf(pid).filter(({ id }) => id !== String(pid))
  threadsApart(pid, half)
  const apart = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0
  const moved = (): boolean =>
    [pid, ...others.map(({ id }) => id)].every((thread) => processorsOf(pid, thread) !== all)
  while (apart && !moved()) await sleep(10)
  const of = others.map(({ id }) => processorsOf(pid, id))
  t.same(new Set(of).size, 1, 'all of them alike')
  if (all === '0-1' && apart)
    t.same([processorsOf(pid, pid), of[0]], half === 'first' ? ['0', '1'] : ['1', '0'])
  else t.equal(processorsOf(pid, pid) === of[0], !apart)
}

test('a process that plays another machine runs off the engine’s processor with all threads', async (t) => {
  const child = spawn(process.execPath, ['-e', WRITES])
  t.teardown(() => child.kill('SIGKILL'))
  await new Promise((resolve) => child.stdout.once('data', resolve))
  const pid = child.pid ?? 0
  const all = processorsOf(pid, pid)
  keepOff(pid)
  const apart = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0
  const places = (): string[] => threadsOf(pid).map(({ id }) => processorsOf(pid, id))
  while (apart && places().includes(all)) await sleep(10)
  t.same(new Set(places()).size, 1, 'all of them alike')
  if (all === '0-1') t.equal(places()[0], apart ? '1' : all)
})

test('a process of our own session changes only itself', async (t) => {
  const before = groupOf('self')
  const { pid } = startParent(t, false)
  lowerPriority(pid)
  t.equal(getPriority(pid), 10)
  t.equal(groupOf('self'), before)
})

test('children in sessions of their own are found when they start', async (t) => {
  const { pid, child } = startParent(t, true)
  let look = (): void => undefined
  let cancelled = 0
  const clock: Clock = {
    ...systemClock,
    after(_delayMs, again) {
      look = again
      return { cancel: () => cancelled++ }
    },
  }
  const stopKeeping = keepPriorityLow(pid, clock)
  const late = await child()
  // A user without root may lower a session only now and then.
  do {
    look()
    await sleep(10)
  } while (!groupOf(late).endsWith('nice 5'))
  t.equal(getPriority(late), 10, 'inherited')
  t.match(groupOf(late), / ?nice 5$/)
  stopKeeping()
  t.equal(cancelled, 1)
})
