// Rows 11 and 12: files of the engine that were changed while it was down.
import {
  closeSync,
  cpSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { readJournal } from '../../../scripts/journal/read-journal.ts'
import { configCacheGuard } from '../../../scripts/start/engine-cache.ts'
import { systemClock } from '../../../shared/clock.ts'
import { happens, until } from '../../harness/until.ts'
import { Random } from '../../simulation/random.ts'
import { boundMs, type Effort, type FaultRun, type Findings } from '../fault.ts'
import { type Stack, startStack } from '../stack.ts'
import { openWitness } from '../witness.ts'

const HEADER_BYTES = 64
const READY_MS_MAX = 20_000
const REFUSED_MS_MAX = 6000
const STARTS_MAX = 5

/**
 * Row 11: a torn or flipped last batch is discarded; after a flip before it the engine refuses to
 * start and names the place.
 */
export async function damagedJournal(t: FaultRun): Promise<Findings> {
  const stack = await startStack(t, { environment: { SVC_SNAPSHOT_ENTRIES: '1000' } })
  const witness = openWitness(stack, ['load_plain_1', 'load_plain_2'].map(stack.card))
  await witness.runFor(t.effort.seconds * 1000)
  await stack.drained()
  await stack.engineProcess.stop()
  const journal = join(stack.directory, 'journal')
  const whole = join(stack.directory, 'journal-whole')
  cpSync(journal, whole, { recursive: true })
  const random = new Random(11)
  const problems: string[] = []
  let injected = 0
  for (const damage of [tornTail, flippedTail, flippedMiddle]) {
    for (let round = 0; round < t.effort.seconds; round++) {
      rmSync(journal, { recursive: true })
      cpSync(whole, journal, { recursive: true })
      const refusal = await damage(journal, random)
      injected += 1
      problems.push(
        ...(await startedAs(stack, refusal, t.effort)).map((line) => damage.name + ': ' + line),
      )
    }
  }
  rmSync(journal, { recursive: true })
  cpSync(whole, journal, { recursive: true })
  await stack.engineProcess.start()
  await until(() => stack.ready())
  problems.push(...(await witness.compare()))
  return { injected: injected + ' torn tails, flips in the tail and in the middle', problems }
}

/** Starts the engine; returns a sentence if it started or refused against expectation. */
async function startedAs(stack: Stack, refusal: RegExp | null, effort: Effort): Promise<string[]> {
  const exit = await stack.engineProcess.tryStart()
  if (exit !== null)
    return refusal?.test(exit.lastWords ?? '') === true && exit.code === 1
      ? []
      : ['ended with ' + exit.code + ': ' + exit.lastWords]
  // PostgreSQL already has the discarded batch: the engine must refuse instead of serving.
  const refused = await happens(
    async () => /are missing here/.test((await stack.engine.status()).reason ?? ''),
    boundMs(effort, REFUSED_MS_MAX),
  )
  const ready = await stack.ready()
  const { synced_seq: synced } = await stack.engine.status()
  await stack.engineProcess.stop()
  if (refusal !== null) return ['the engine started at entry ' + synced]
  return refused && !ready
    ? []
    : ['the engine serves although entries after ' + synced + ' are lost']
}

async function batches(journal: string) {
  const view = await readJournal(journal)
  if (!view.ok || view.value.recovery.lastBatch === null) throw new Error('no batch in ' + journal)
  const { lastBatch: last, segments } = view.value.recovery
  // If the last batch begins a segment, the batches before it are in the segment before.
  const before =
    last.offset > HEADER_BYTES ? { path: last.path, endBytes: last.offset } : segments.at(-2)
  if (before === undefined) throw new Error('one batch only in ' + journal)
  return { last, before }
}

async function tornTail(journal: string, random: Random): Promise<null> {
  const { path, offset, bytes } = (await batches(journal)).last
  const kept = random.below(bytes)
  overwrite(path, offset + kept, Buffer.alloc(bytes - kept))
  return null
}

async function flippedTail(journal: string, random: Random): Promise<null> {
  const { path, offset, bytes } = (await batches(journal)).last
  flip(path, offset + random.below(bytes))
  return null
}

async function flippedMiddle(journal: string, random: Random): Promise<RegExp> {
  const { path, endBytes } = (await batches(journal)).before
  flip(path, HEADER_BYTES + random.below(endBytes - HEADER_BYTES))
  return /damaged in the middle/
}

function flip(path: string, at: number): void {
  const byte = Buffer.alloc(1)
  const fd = openSync(path, 'r')
  readSync(fd, byte, 0, 1, at)
  closeSync(fd)
  byte[0] = (byte[0] ?? 0) ^ 0x10
  overwrite(path, at, byte)
}

function overwrite(path: string, at: number, bytes: Buffer): void {
  const fd = openSync(path, 'r+')
  writeSync(fd, bytes, 0, bytes.length, at)
  closeSync(fd)
}

/**
 * Row 12: the config cache deleted, cut short, zeroed or filled with noise: the engine fills it
 * again.
 */
export async function damagedCache(t: FaultRun): Promise<Findings> {
  const stack = await startStack(t)
  const witness = openWitness(stack, ['load_plain_1', 'limited_plain'].map(stack.card))
  const end = new AbortController()
  const running = witness.run(end.signal)
  const random = new Random(12)
  const problems: string[] = []
  const damages = Object.entries(CACHE_DAMAGES)
  const readyMsMax = boundMs(t.effort, READY_MS_MAX)
  for (const [name, damage] of damages) {
    await until(() => stack.ready())
    await stack.engineProcess.kill()
    for (const file of cacheFiles(stack)) damage(file, random)
    const beganMs = systemClock.nowMs()
    const starts = await startAsSupervised(stack)
    const ready = starts !== null && (await happens(() => stack.ready(), readyMsMax))
    const tookMs = systemClock.nowMs() - beganMs
    if (!ready) problems.push(name + ': not ready after ' + tookMs + ' ms')
    t.say(name + ': ready after ' + starts + ' starts, ' + Math.round(tookMs) + ' ms')
  }
  end.abort()
  await running
  problems.push(...(await witness.compare()))
  const injected =
    damages.map(([name]) => name).join(', ') + ' under ' + witness.answered + ' answers'
  return { injected, problems }
}

function cacheFiles(stack: Stack): string[] {
  const configCache = join(stack.directory, 'facts')
  return readdirSync(configCache, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name === 'data.mdb')
    .map((entry) => join(entry.parentPath, entry.name))
}

const PAGE_BYTES = 4096

const CACHE_DAMAGES: { readonly [name: string]: (path: string, random: Random) => void } = {
  deleted: (path) => rmSync(path),
  'cut to half': (path) => truncateSync(path, statSync(path).size >> 1),
  'cut to nothing': (path) => truncateSync(path, 0),
  zeroed: (path) => overwrite(path, 0, Buffer.alloc(statSync(path).size)),
  'zeroed behind its head': (path) =>
    overwrite(path, 2 * PAGE_BYTES, Buffer.alloc(statSync(path).size - 2 * PAGE_BYTES)),
  noise: (path, random) => writeFileSync(path, noise(statSync(path).size, random)),
  'noise behind its head': (path, random) => {
    const head = readFileSync(path).subarray(0, 2 * PAGE_BYTES)
    writeFileSync(path, Buffer.concat([head, noise(statSync(path).size - head.length, random)]))
  },
  'pointer of another': (path) => writeFileSync(join(path, '../../current'), 'nonsense\n'),
}

function noise(bytes: number, random: Random): Buffer {
  const made = Buffer.alloc(bytes)
  for (let at = 0; at < bytes; at++) made[at] = random.below(256)
  return made
}

/**
 * Starts it repeatedly like the supervisor, which deletes the cache after two aborts. Returns the
 * number of starts; null if none held.
 */
async function startAsSupervised(stack: Stack): Promise<number | null> {
  const guard = configCacheGuard(stack.directory, () => {})
  for (let start = 1; start <= STARTS_MAX; start++) {
    const beganMs = systemClock.nowMs()
    const exit = await stack.engineProcess.tryStart()
    const early = exit ?? (await diesSoon(stack))
    if (early === null) return start
    await guard(early, systemClock.nowMs() - beganMs)
  }
  return null
}

const SOON_MS = 1500

/** The exit of the engine, if it ended soon after it was ready. */
async function diesSoon(stack: Stack) {
  let died: Awaited<Stack['engineProcess']['exited']> | null = null
  void stack.engineProcess.exited.then((exit) => {
    died = exit
  })
  await happens(() => died !== null, SOON_MS)
  return died
}
