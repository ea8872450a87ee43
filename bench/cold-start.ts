// Measures the time without an engine: from the start of its process until it decides, with the
// cards, the open holds and the entries behind the latest snapshot of a working installation. The
// engine is stopped in order and started again on the same directory.
import { join } from 'node:path'
import { listSnapshots } from '../engine/journal/snapshot-file.ts'
import { ConnectionPool } from '../scripts/simulate/connection-pool.ts'
import { sleep } from '../shared/clock.ts'
import { column, median, rounded } from './figures.ts'
import { makeRequests } from './generator/requests.ts'
import { type Generator, startGenerator } from './generator.ts'
import type { EngineTestbed } from './line/engine.ts'
import { openEngineAlone } from './line/engine-alone.ts'
import type { BenchOptions, Findings, Measured } from './measured.ts'

const SIZES = { full: [10_000, 1_000_000], quick: [10_000] } as const
const PACE = {
  full: { holds: 100_000, starts: 5 },
  quick: { holds: 20_000, starts: 3 },
}
/** Part of the entries that the snapshot covers; the others are replayed from the journal. */
const COVERED = 0.6
const CONNECTIONS = 64
const HOLDS = 'svc_open_holds'
const ROUNDS_MAX = 20
const SECONDS_MAX = 300
const SNAPSHOT_MS_MAX = 120_000
const POLL_MS = 100

export const COLD_START: Measured = {
  name: 'cold-start',
  seconds: { full: 110, quick: 20 },
  run,
}

interface Start {
  /** Milliseconds until it reports ready, and until its first answer after that. */
  readyMs: number
  answerMs: number
}

interface Started {
  cards: number
  starts: readonly Start[]
}

async function run(options: BenchOptions): Promise<Findings> {
  const all: Started[] = []
  for (const cards of options.quick ? SIZES.quick : SIZES.full)
    all.push(await started(cards, options))
  const { holds } = options.quick ? PACE.quick : PACE.full
  const middle = ({ starts }: Started, of: (start: Start) => number): number =>
    rounded(median(starts.map(of)))
  const ready = (one: Started): number => middle(one, ({ readyMs }) => readyMs)
  const answer = (one: Started): number => middle(one, ({ answerMs }) => answerMs)
  return {
    lines: [
      '',
      ['', 'ready ms', 'answer ms'].map(column).join(''),
      ...all.map((one) => [namedBy(one.cards), ready(one), answer(one)].map(column).join('')),
      '',
    ],
    figures: Object.fromEntries(
      all.map((one) => [
        one.cards + ' cards and ' + holds + ' holds',
        { ready_ms: ready(one), first_answer_ms: answer(one) },
      ]),
    ),
    targets: [],
    flaws: [],
    series: [
      {
        chart:
          'From the start of the process to ready, with ' + holds.toLocaleString('en') + ' holds',
        x: 'cards',
        y: 'ms',
        logX: true,
        lines: [{ name: 'the engine', points: all.map((one) => [one.cards, ready(one)]) }],
      },
    ],
  }
}

function namedBy(cards: number): string {
  return cards.toLocaleString('en') + ' cards'
}

async function started(cards: number, options: BenchOptions): Promise<Started> {
  const { holds, starts } = options.quick ? PACE.quick : PACE.full
  options.log('Seeding ' + namedBy(cards) + '.')
  const stand = await openEngineAlone({
    cards,
    environment: { SVC_SNAPSHOT_ENTRIES: String(Math.ceil(holds * COVERED)) },
  })
  const generator = startGenerator()
  try {
    options.log('Authorizing ' + holds.toLocaleString('en') + ' times.')
    await openHolds(stand, generator, holds)
    await snapshotTaken(stand)
    options.log('Starting it ' + starts + ' times.')
    const done: Start[] = []
    for (let at = 0; at < starts; at++) {
      const message = makeRequests(stand.messages(1))
      const readyMs = await stand.restart()
      done.push({ readyMs, answerMs: readyMs + (await answeredAfter(stand.port, message[0])) })
    }
    return { cards, starts: done }
  } finally {
    await generator.stop()
    await stand.close()
  }
}

/** A busy machine declines some requests; they are sent again until so many holds are open. */
async function openHolds(
  stand: EngineTestbed,
  generator: Generator,
  wanted: number,
): Promise<void> {
  const load = { port: stand.port, connections: CONNECTIONS, rate: null, seconds: SECONDS_MAX }
  for (let rounds = 0; rounds < ROUNDS_MAX; rounds++) {
    const missing = wanted - (await stand.metric(HOLDS))
    if (missing <= 0) return
    await generator.make(stand.messages(missing))
    await generator.send(load)
  }
  throw new Error('the engine did not open ' + wanted + ' holds')
}

/** Returns the milliseconds until a client that only now connects has an answer. */
function answeredAfter(port: number, message: Buffer | undefined): Promise<number> {
  if (message === undefined) throw new Error('no message was made')
  const pool = new ConnectionPool({ host: '127.0.0.1', port }, 1)
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    pool.send(message, (exchange) => {
      const tookMs = performance.now() - startedAt
      pool.close()
      const status = exchange.kind === 'response' ? String(exchange.status) : exchange.problem
      if (status === '200') resolve(tookMs)
      else reject(new Error('the first answer was ' + status))
    })
  })
}

async function snapshotTaken({ directory }: EngineTestbed): Promise<void> {
  const untilMs = performance.now() + SNAPSHOT_MS_MAX
  while (listSnapshots(join(directory, 'journal')).length === 0) {
    if (performance.now() > untilMs) throw new Error('the engine took no snapshot')
    await sleep(POLL_MS)
  }
}
