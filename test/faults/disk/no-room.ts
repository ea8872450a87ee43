// Rows 9, 10 and 36: no space left, on the journal's device, on the cache's and on one that both
// share with the logs. Each is a file system of its own in memory.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sleep } from '../../../shared/clock.ts'
import type { Teardown } from '../../harness/postgres.ts'
import { happens, until } from '../../harness/until.ts'
import { changeConfig, coveredAfter } from '../config-change.ts'
import { boundMs, type FaultRun, type Findings, type Skipped } from '../fault.ts'
import { type Stack, startStack } from '../stack.ts'
import { openWitness } from '../witness.ts'

const NO_MOUNT = 'this user may not mount a file system'
const JOURNAL_BYTES = 5 * 1024 * 1024
const CHANGE_EVERY_MS = 100
/** A failed write of the cache restarts the engine, which takes time on a busy machine. */
const ANSWERED_MS_MAX = 10_000
const STARTS_MAX = 5
const READY_MS_MAX = 30_000
const ARRIVED_MS_MAX = 30_000
/** All changes have to fit once there is space. */
const CACHE_BYTES_PER_SECOND = 8 * 1024 * 1024

/** Mounts a file system of this size; false if this user may not. It is unmounted at teardown. */
export function mountMemory(t: Teardown, directory: string, bytes: number): boolean {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const mounted = spawnSync('mount', [
    '-t',
    'tmpfs',
    '-o',
    'mode=0700,size=' + bytes,
    'svc-faults',
    directory,
  ])
  if (mounted.status !== 0) return false
  t.teardown(() => spawnSync('umount', ['-l', directory]))
  return true
}

function mayMount(t: Teardown): boolean {
  const directory = mkdtempSync(join(tmpdir(), 'svc-mount-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return mountMemory(t, directory, 64 * 1024)
}

/**
 * Row 9: the drain stands still and the journal's device fills up: the engine refuses, and goes on
 * when there is space.
 */
export async function journalWithoutRoom(t: FaultRun): Promise<Findings | Skipped> {
  if (!mayMount(t)) return { skipped: NO_MOUNT }
  const stack = await startStack(t, {
    prepare: (directory) => void mountMemory(t, join(directory, 'journal'), JOURNAL_BYTES),
    environment: {
      // No snapshot is due before the device is full: taking it then would free space.
      SVC_SNAPSHOT_ENTRIES: '1000000',
    },
  })
  const problems: string[] = []
  const witness = openWitness(stack, ['load_plain_1', 'load_realtime_1'].map(stack.card))
  const end = new AbortController()
  const running = witness.run(end.signal)
  await stack.apiProcess.kill()
  if (!(await happens(() => refusedFor(witness.refusals) > 50, 60_000)))
    problems.push('the device never filled up, or nothing was refused')
  const [answeredFull, refusedFull] = [witness.answered, refusedFor(witness.refusals)]
  await sleep(t.effort.seconds * 1000)
  const alive = await Promise.race([stack.engineProcess.exited, sleep(10)])
  if (alive !== undefined) problems.push('the engine ended: ' + alive.lastWords)
  if (!(await stack.ready())) t.say('not ready while there is no room')
  // The engine restarts meanwhile: it refuses as before and has lost nothing.
  await stack.killEngine()
  await sleep(500)
  await stack.apiProcess.start()
  const before = witness.answered
  if (!(await happens(() => witness.answered > before + 50, 30_000)))
    problems.push('once drained, the journal took nothing more')
  end.abort()
  await running
  for (const refusal of witness.refusals.keys())
    if (!refusal.startsWith('503 ') && !/ECONN|closed/.test(refusal))
      problems.push('refused with ' + refusal)
  problems.push(...(await witness.compare()))
  const injected = answeredFull + ' answers filled 5 MB, ' + refusedFull + ' refused, then drained'
  return { injected, problems }
}

function refusedFor(refusals: ReadonlyMap<string, number>): number {
  let count = 0
  for (const [what, times] of refusals) if (what.startsWith('503 ')) count += times
  return count
}

/**
 * Row 10: the cache's device is full. Decisions go on, and the configuration arrives once there is
 * space.
 */
export async function cacheWithoutRoom(t: FaultRun): Promise<Findings | Skipped> {
  if (!mayMount(t)) return { skipped: NO_MOUNT }
  const cacheBytes = CACHE_BYTES_PER_SECOND * t.effort.seconds
  const stack = await startStack(t, {
    prepare: (directory) => void mountMemory(t, join(directory, 'facts'), cacheBytes),
  })
  const problems: string[] = []
  const witness = openWitness(stack, [stack.card('load_plain_1')], { senders: 4, pauseMs: 2 })
  const end = new AbortController()
  const running = witness.run(end.signal)
  const ballast = join(stack.directory, 'facts', 'ballast')
  fill(ballast, cacheBytes)
  let starts = 0
  let down = 0
  const watching = new AbortController()
  const watched = watchEngine(stack, watching.signal, () => {
    starts += 1
  })
  // Changes for which the cache has no space.
  const changes = 20 * t.effort.seconds
  for (let change = 0; change < changes; change++) {
    await writeConfirmed(stack, change)
    const before = witness.answered
    if (!(await happens(() => witness.answered > before, ANSWERED_MS_MAX))) down += 1
    await sleep(CHANGE_EVERY_MS)
  }
  if (down > 0)
    problems.push(down + ' times nothing was answered for 10 s while the cache was full')
  if (starts > STARTS_MAX) problems.push('the engine was started ' + starts + ' times')
  rmSync(ballast, { force: true })
  const latest = await writeConfirmed(stack, changes)
  // A write from before may still end the engine: the question is then repeated after its restart.
  const covered = (): Promise<number | null> => coveredAfter(stack, latest, 1000).catch(() => null)
  if (!(await happens(async () => (await covered()) !== null, ARRIVED_MS_MAX)))
    problems.push('the configuration did not arrive within 30 s of there being room')
  end.abort()
  await running
  // Until then a write from before may still end it.
  await stack.drained()
  watching.abort()
  await watched
  await until(() => stack.ready())
  problems.push(...(await witness.compare()))
  const injected = changes + ' changes without room, engine restarted ' + starts + ' times'
  return { injected, problems }
}

const DATA_BYTES = 32 * 1024 * 1024
const LOOK_EVERY_MS = 100
const LOOK_MS_MAX = 3000

/** Moves the data directory onto a small file system. */
function onSmallDisk(t: Teardown, directory: string): void {
  const aside = mkdtempSync(join(tmpdir(), 'svc-aside-'))
  cpSync(directory, aside, { recursive: true })
  mountMemory(t, directory, DATA_BYTES)
  cpSync(aside, directory, { recursive: true })
  rmSync(aside, { recursive: true })
}

/**
 * Row 36: journal, cache, logs and socket on one full device. No process freezes, and everything
 * recovers by itself.
 */
export async function dataWithoutRoom(t: FaultRun): Promise<Findings | Skipped> {
  if (!mayMount(t)) return { skipped: NO_MOUNT }
  const stack = await startStack(t, {
    prepare: (directory) => onSmallDisk(t, directory),
    environment: {
      SVC_LOG_LEVEL: 'debug',
    },
  })
  const problems: string[] = []
  const witness = openWitness(stack, ['load_plain_1', 'load_realtime_1'].map(stack.card), {
    senders: 4,
    pauseMs: 5,
  })
  const end = new AbortController()
  const running = witness.run(end.signal)
  const watching = new AbortController()
  let starts = 0
  const watched = watchEngine(stack, watching.signal, () => {
    starts += 1
  })
  const silent = watchSilence(stack, watching.signal, boundMs(t.effort, LOOK_MS_MAX))
  const fills = 2 * t.effort.seconds - 1
  for (let fillNumber = 0; fillNumber < fills; fillNumber++) {
    const ballast = join(stack.directory, 'ballast')
    fill(ballast, DATA_BYTES)
    await sleep(t.effort.seconds * 1000)
    rmSync(ballast, { force: true })
    const before = witness.answered
    const readyMsMax = boundMs(t.effort, READY_MS_MAX)
    if (!(await happens(() => witness.answered > before + 50, readyMsMax)))
      problems.push('nothing was answered once there was room')
  }
  end.abort()
  await running
  await stack.drained()
  watching.abort()
  await watched
  problems.push(...(await silent))
  await until(() => stack.ready())
  const alive = await Promise.race([stack.apiProcess.exited, sleep(10)])
  if (alive !== undefined) problems.push('the api ended: ' + alive.lastWords)
  problems.push(...(await witness.compare()))
  const injected =
    fills + ' fills under ' + witness.answered + ' answers, engine restarted ' + starts + ' times'
  return { injected, problems }
}

/**
 * Calls the api, whose log is on the full device, until the signal aborts; returns a sentence if it
 * does not answer.
 */
async function watchSilence(stack: Stack, signal: AbortSignal, msMax: number): Promise<string[]> {
  let missed = 0
  while (!signal.aborted) {
    const look = fetch(stack.apiUrl + '/health/live', { signal: AbortSignal.timeout(msMax) })
    const answered = await look.then(
      (answer) => answer.status === 200,
      () => false,
    )
    if (!answered) missed += 1
    await sleep(LOOK_EVERY_MS, signal)
  }
  return missed === 0 ? [] : ['the api missed ' + missed + ' looks at /health/live']
}

/** Writes until nothing fits any more. */
function fill(path: string, most: number): void {
  for (let bytes = most; bytes >= 1024; bytes = Math.floor(bytes / 2)) {
    try {
      writeFileSync(path, Buffer.alloc(bytes), { flag: 'a' })
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
    }
  }
}

/** These rows are large enough that the cache has to grow. */
function writeConfirmed(stack: Stack, change: number): Promise<bigint> {
  const url = 'http://127.0.0.1:1/' + 'x'.repeat(4000)
  return changeConfig(
    stack,
    (sql) => sql`
      insert into webhook_endpoints (id, tenant_id, environment, url, status, created_at)
      select 'we_full_' || ${change}::text || '_' || n, ${stack.secrets.tenant_id}, 'sandbox', ${url},
        'disabled', 0
      from generate_series(1, 20) n`,
  )
}

/** Starts the engine again whenever it ends, as the supervisor does. */
async function watchEngine(stack: Stack, signal: AbortSignal, onStart: () => void): Promise<void> {
  while (!signal.aborted) {
    const exit = await Promise.race([stack.engineProcess.exited, sleep(100)])
    if (exit === undefined) continue
    onStart()
    await sleep(100)
    await stack.engineProcess.tryStart()
  }
}
