// An hour of authorizations at a steady rate beside everything that happens in a working
// installation: snapshots, new segments, bursts of configuration changes, and PostgreSQL, which
// drains. The slowest answers count.
import { readFileSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { tx } from '../api/database/transaction.ts'
import { listSnapshots } from '../engine/journal/snapshot-file.ts'
import { flawsOf, startGenerator } from './generator.ts'
import { curveOf, percentilesOf } from './latency.ts'
import { type LineTestbed, openLineTestbed } from './line/testbed.ts'
import { benchDirectory } from './machine.ts'
import type { BenchOptions, Findings, Measured } from './measured.ts'
import type { Sent } from './sender.ts'

const CARDS = 100_000
const CONNECTIONS = 256
/**
 * While one generator sends a window, another makes the next one: no message outlives its
 * signature, and no connection stays idle for longer than the engine keeps it.
 */
const WINDOW_S = 10
/** This leaves time for a slow machine. */
const MAKING_S = 8
const WINDOWS_A_MINUTE = 60 / WINDOW_S
/** Once a minute. */
const BURST_CARDS = 2000
const PER_SECOND = Number(process.env['BENCH_TAIL_RATE'] ?? 5000)
const MINUTES = Number(process.env['BENCH_TAIL_MINUTES'] ?? 60)
/**
 * Bytes that journal and PostgreSQL keep of an authorization, and the usable share of the free disk
 * space.
 */
const KEPT_BYTES = 5_000
const ROOM = 0.8
/** The same bound as for half a minute at the same rate. */
const P99_9_MS_MAX = 10
/**
 * The engine's answer while the oldest entry waits too long for the device; the network repeats the
 * message.
 */
const REFUSED = '503'
/** Share of all answers; smaller than any percentile shown here can resolve. */
const REFUSED_SHARE_MAX = 1 / 100_000

export const TAIL: Measured = {
  name: 'tail',
  onlyLong: true,
  seconds: { full: 60 * MINUTES + 60, quick: 60 * MINUTES + 60 },
  run,
}

async function run(options: BenchOptions): Promise<Findings> {
  const perSecond = Math.floor(Math.min(PER_SECOND, bearable()))
  const stand = await openLineTestbed({ cards: CARDS })
  try {
    options.log(perSecond + ' a second for ' + MINUTES + ' minutes.')
    return findingsOf(perSecond, await hour(stand, perSecond, options))
  } finally {
    await stand.close()
  }
}

/** Authorizations a second for which the disk has room. */
function bearable(): number {
  const { bavail, bsize } = statfsSync(benchDirectory())
  return (bavail * bsize * ROOM) / (KEPT_BYTES * MINUTES * 60)
}

interface Hour {
  windows: readonly Sent[]
  snapshots: number
  entries: number
  changes: number
  undrained: number
  residentMb: number
}

async function hour(stand: LineTestbed, perSecond: number, options: BenchOptions): Promise<Hour> {
  const generators = [startGenerator(), startGenerator()] as const
  const generatorOf = (window: number) => generators[window % 2 === 0 ? 0 : 1]
  const count = Math.ceil(perSecond * WINDOW_S)
  const windows: Sent[] = []
  const snapshots = new Set<number>()
  let changes = 0
  const load = { port: stand.port, connections: CONNECTIONS, rate: perSecond, seconds: WINDOW_S }
  try {
    // Another bench measures the cost of a start; this one begins after everything is compiled.
    await generatorOf(1).make(stand.messages(count))
    await generatorOf(1).send(load)
    await generatorOf(0).make(stand.messages(count))
    const all = Math.ceil((MINUTES * 60) / WINDOW_S)
    for (let window = 0; window < all; window++) {
      const sending = generatorOf(window).send(load)
      await generatorOf(window + 1).make({ ...stand.messages(count), overSeconds: MAKING_S })
      if (window % WINDOWS_A_MINUTE === 1) changes += await burst(stand, window)
      windows.push(await sending)
      for (const { seq } of listSnapshots(join(stand.directory, 'journal'))) snapshots.add(seq)
      if (windows.length % WINDOWS_A_MINUTE === 0)
        options.log(told(windows.slice(-WINDOWS_A_MINUTE)))
    }
    const status = await stand.client.status()
    return {
      windows,
      snapshots: snapshots.size,
      entries: await stand.metric('svc_journal_entries'),
      changes,
      undrained: status.synced_seq - status.drained_seq,
      residentMb: residentMb(stand.engine.pid),
    }
  } finally {
    for (const generator of generators) await generator.stop()
  }
}

/** Changes the limit of this many cards in one transaction. */
async function burst({ sql }: LineTestbed, window: number): Promise<number> {
  const cents = 800_000_000_000 + window
  const changed = await tx(
    sql,
    (inner) => inner`
      update controls set
        controls = jsonb_set(controls, '{0,limits,0,amount_cents}', to_jsonb(${cents}::bigint))
      where subject_id in (select id from cards order by id limit ${BURST_CARDS})`,
  )
  return changed.count
}

function told(windows: readonly Sent[]): string {
  const { p50, p99, p99_9, max } = percentilesOf(windows.map(({ latency }) => latency))
  const late = percentilesOf(windows.map(({ lateness }) => lateness))
  const words = [
    'p50',
    p50,
    'p99',
    p99,
    'p99.9',
    p99_9,
    'max',
    max,
    'ms, sent late p99.9',
    late.p99_9,
  ]
  return words.join(' ') + ' ms'
}

function residentMb(pid: number): number {
  const text = readFileSync('/proc/' + pid + '/status', 'utf8')
  return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) / 1024)
}

function findingsOf(perSecond: number, { windows, ...hour }: Hour): Findings {
  const all = percentilesOf(windows.map(({ latency }) => latency))
  const refused = windows.reduce((sum, { answers }) => sum + (answers[REFUSED] ?? 0), 0)
  const counted = { refused, ...hour }
  const chart = MINUTES + ' minutes at ' + perSecond + ' a second'
  return {
    lines: [
      all.count + ' answers, ' + told(windows) + ', p99.99 ' + all.p99_99 + ' ms',
      Object.entries(counted)
        .map(([name, count]) => name + ' ' + count)
        .join(', '),
    ],
    figures: {
      per_second: perSecond,
      minutes: MINUTES,
      latency: all,
      lateness: percentilesOf(windows.map(({ lateness }) => lateness)),
      ...counted,
    },
    targets: [
      {
        sentence: 'p99.9 of ' + chart + ' : 10 ms',
        ratio: all.p99_9 / P99_9_MS_MAX,
        atMost: 1,
      },
      {
        sentence: 'refused of ' + chart + ' : one in 100,000',
        ratio: refused / all.count / REFUSED_SHARE_MAX,
        atMost: 1,
      },
    ],
    flaws: [...new Set(windows.flatMap((sent) => flawsOf('the engine', withoutRefused(sent))))],
    curves: [
      curveOf(
        windows.map(({ latency }) => latency),
        { chart, name: 'the engine' },
      ),
    ],
    series: [
      {
        chart: chart + ': the slowest of each minute',
        x: 'minutes',
        y: 'ms',
        logX: false,
        lines: [
          { name: 'p99.9', points: points(windows, ({ p99_9 }) => p99_9) },
          { name: 'max', points: points(windows, ({ max }) => max) },
        ],
      },
    ],
  }
}

/**
 * A refusal is by design and has its own count. Any other answer without a decision makes the run
 * invalid.
 */
function withoutRefused(sent: Sent): Sent {
  const { [REFUSED]: _refused, ...answers } = sent.answers
  return { ...sent, answers }
}

function points(
  windows: readonly Sent[],
  of: (latency: ReturnType<typeof percentilesOf>) => number,
): (readonly [x: number, y: number])[] {
  const minutes = Math.ceil(windows.length / WINDOWS_A_MINUTE)
  return Array.from({ length: minutes }, (_, minute) => {
    const from = minute * WINDOWS_A_MINUTE
    const own = windows.slice(from, from + WINDOWS_A_MINUTE)
    return [minute + 1, of(percentilesOf(own.map(({ latency }) => latency)))]
  })
}
