// Quantities that must not grow while a process runs: memory, descriptors, reader slots of the
// cache. They are sampled, and the slope of the second half decides: the first half still warms up.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sleep, systemClock } from '../../shared/clock.ts'
import type { FaultRun, Findings } from './fault.ts'
import { type Stack, startStack } from './stack.ts'
import { openWitness } from './witness.ts'

const READER_BYTES = 64
const READER_PID_AT = 24
const RATE_SENDERS = 8
const PAUSE_MS = 4
const SAMPLE_MS = 250
/** The engine remembers every answer for two days and every transaction while it is open. */
const BYTES_PER_ANSWER_MAX = 2048
/** Memory that a garbage collector may not have freed yet. */
const SLACK_BYTES_PER_MINUTE = 96 * 1024 * 1024
const DESCRIPTORS_PER_MINUTE_MAX = 4
const READERS_MAX = 16
const RESIDENT_BYTES_MAX = 1.2 * 1024 ** 3
const DESCRIPTORS_MAX = 500

export interface Sample {
  atMs: number
  residentBytes: number
  heapBytes: number
  descriptors: number
}

export interface Slopes {
  /** Bytes per minute. */
  residentBytes: number
  descriptors: number
}

/**
 * Anonymous resident memory, all resident memory and open descriptors; null if the process is gone.
 */
export function sample(pid: number): Sample | null {
  try {
    const text = readFileSync('/proc/' + pid + '/status', 'utf8')
    const of = (name: string): number =>
      1024 * Number(new RegExp('^' + name + ':\\s+(\\d+) kB$', 'm').exec(text)?.[1] ?? 0)
    return {
      atMs: systemClock.nowMs(),
      residentBytes: of('VmRSS'),
      heapBytes: of('RssAnon'),
      descriptors: readdirSync('/proc/' + pid + '/fd').length,
    }
  } catch {
    return null
  }
}

/**
 * Samples the process that `pid` names at each moment until the signal aborts; a new process begins
 * a new list.
 */
export async function sampleUntil(
  signal: AbortSignal,
  pid: () => number,
  everyMs: number,
): Promise<Sample[]> {
  let samples: Sample[] = []
  let sampled = 0
  while (!signal.aborted) {
    const now = pid()
    if (now !== sampled) samples = []
    sampled = now
    const taken = sample(now)
    if (taken !== null) samples.push(taken)
    await sleep(everyMs, signal)
  }
  return samples
}

/** Row 29: steady load for minutes; only memory that is kept on purpose grows. */
export async function growth(t: FaultRun): Promise<Findings> {
  const stack = await startStack(t)
  const cards = ['load_plain_1', 'load_realtime_1', 'limited_plain'].map(stack.card)
  const witness = openWitness(stack, cards, { senders: RATE_SENDERS, pauseMs: PAUSE_MS })
  const end = new AbortController()
  const sampling = [stack.engineProcess, stack.apiProcess].map((part) =>
    sampleUntil(end.signal, () => part.pid, SAMPLE_MS),
  )
  const seconds = 24 * t.effort.seconds
  await witness.runFor(seconds * 1000)
  end.abort()
  const problems: string[] = []
  const perMinute = (witness.answered / seconds) * 60
  for (const [at, samples] of (await Promise.all(sampling)).entries()) {
    const name = at === 0 ? 'engine' : 'api'
    const { residentBytes, descriptors } = slopes(samples)
    t.say(growthLine(name, samples))
    const last = samples.at(-1)
    if (
      (last?.residentBytes ?? 0) > RESIDENT_BYTES_MAX ||
      (last?.descriptors ?? 0) > DESCRIPTORS_MAX
    )
      problems.push('too much: ' + growthLine(name, samples))
    // A young process still warms up: its slope means nothing.
    if (seconds * 1000 < TELLING_MS_MIN) continue
    if (residentBytes > SLACK_BYTES_PER_MINUTE + perMinute * BYTES_PER_ANSWER_MAX)
      problems.push('memory: ' + growthLine(name, samples))
    if (descriptors > DESCRIPTORS_PER_MINUTE_MAX)
      problems.push('descriptors: ' + growthLine(name, samples))
  }
  const readers = readerSlots(stack)
  if (readers > READERS_MAX) problems.push(readers + ' reader slots of the cache are taken')
  problems.push(...(await witness.compare()))
  const injected = witness.answered + ' answers in ' + seconds + ' s, ' + readers + ' reader slots'
  return { injected, problems }
}

/** Slots that the engine holds in LMDB's table of readers. */
function readerSlots(stack: Stack): number {
  const configCache = join(stack.directory, 'facts')
  let slots = 0
  for (const entry of readdirSync(configCache, { recursive: true, withFileTypes: true })) {
    if (entry.name !== 'lock.mdb') continue
    const bytes = readFileSync(join(entry.parentPath, entry.name))
    for (let at = 0; at + READER_BYTES <= bytes.length; at += READER_BYTES)
      if (bytes.readInt32LE(at + READER_PID_AT) === stack.engineProcess.pid) slots += 1
  }
  return slots
}

/** Growth of the second half of the samples. */
export function slopes(samples: readonly Sample[]): Slopes {
  const late = samples.slice(Math.floor(samples.length / 2))
  return {
    residentBytes: slope(late, (at) => at.heapBytes),
    descriptors: slope(late, (at) => at.descriptors),
  }
}

const MS_PER_MINUTE = 60_000

/** Slope by least squares, per minute. */
function slope(samples: readonly Sample[], value: (sample: Sample) => number): number {
  const count = samples.length
  if (count < 2) return 0
  const mean = (of: (sample: Sample) => number): number =>
    samples.reduce((sum, at) => sum + of(at), 0) / count
  const [middleMs, middle] = [mean((at) => at.atMs), mean(value)]
  let over = 0
  let under = 0
  for (const at of samples) {
    over += (at.atMs - middleMs) * (value(at) - middle)
    under += (at.atMs - middleMs) ** 2
  }
  return under === 0 ? 0 : (over / under) * MS_PER_MINUTE
}

/** A shorter span gives no meaningful slope. */
const TELLING_MS_MIN = 60_000

/** One line about the latest run of a process. */
export function growthLine(name: string, samples: readonly Sample[]): string {
  const last = samples.at(-1)
  const lastedMs = (last?.atMs ?? 0) - (samples[0]?.atMs ?? 0)
  const { residentBytes, descriptors } = slopes(samples)
  const megabytes = (bytes: number): string => (bytes / 1024 ** 2).toFixed(1) + ' MB'
  return (
    name +
    ': ' +
    megabytes(last?.residentBytes ?? 0) +
    ' resident, ' +
    (last?.descriptors ?? 0) +
    ' descriptors; ' +
    (lastedMs < TELLING_MS_MIN ? 'too young to tell growth: ' : '') +
    'per minute ' +
    megabytes(residentBytes) +
    ' anonymous, ' +
    descriptors.toFixed(1) +
    ' descriptors'
  )
}
