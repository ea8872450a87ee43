// The catch-up of a member whose disk was replaced, while the owner decides: a snapshot of another
// member, the entries behind it, and all config records as an api pushes them. It counts from the
// start of the process until the member may take over.
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { sleep } from '../../shared/clock.ts'
import { MASTER_KEY_FILE } from '../../shared/master-key-file.ts'
import { column, rounded } from '../figures.ts'
import { flawsOf, type Generator, startGenerator } from '../generator.ts'
import { percentilesOf } from '../latency.ts'
import { DATABASE } from '../line/engine-alone.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import { copyConfig } from '../steps/population.ts'
import { type ClusterTestbed, type Member, openCluster, WITHOUT_ETCD } from './testbed.ts'

const SIZES = {
  full: { cards: 1_000_000, rate: 200, warmed: 25_000, windows: 10, snapshotEntries: 12_000 },
  quick: { cards: 20_000, rate: 100, warmed: 2500, windows: 2, snapshotEntries: 1200 },
}
const CONNECTIONS = 32
const CLOSED_SECONDS_MAX = 60
/** Seconds of one window of the load. */
const WINDOW_SECONDS = 2
const AGAIN_MS = 50
/** Loads before a member is taken for one that trims nothing, and the time after each. */
const [TRIM_LOADS_MAX, TRIM_MS_MAX] = [30, 10_000]
const P99_RATIO_MAX = 1.5

interface Times {
  /** Milliseconds from the start of the process. */
  journalMs: number
  configMs: number
  eligibleMs: number
}

/** BENCH_CARDS names another number of cards and open holds. */
export async function measureCatchUp(options: BenchOptions): Promise<Findings> {
  const size = options.quick ? SIZES.quick : SIZES.full
  const { rate, windows } = size
  const cards = Number(process.env['BENCH_CARDS'] ?? size.cards)
  options.log(
    `Starting three members with ${cards.toLocaleString('en')} cards and as many open holds.`,
  )
  const cluster = await openCluster({
    cards,
    holds: cards,
    heldCards: cards,
    // Entries that two snapshots and PostgreSQL have go at once: a new member needs a snapshot.
    environment: {
      SVC_DRAINED_KEPT_MS: '0',
      SVC_SNAPSHOT_ENTRIES: String(size.snapshotEntries),
    },
  })
  if (cluster === null) return WITHOUT_ETCD
  const generator = startGenerator()
  try {
    const load = new Load(cluster, generator, rate)
    await load.closed(size.warmed)
    const needsSnapshot = await trim(cluster, () => load.closed(size.snapshotEntries))
    options.log(rate + ' a second before the disk of a follower is replaced.')
    for (let window = 0; window < windows; window++) await load.window('before')
    const wiped = cluster.members.at(-1) as Member
    await wipe(wiped)
    options.log('The follower begins with an empty disk.')
    const over = new AbortController()
    const sending = load.until(over.signal)
    const times = await catchUp(cluster, wiped, cards).finally(() => over.abort())
    await sending
    return findingsOf({ cards, rate, needsSnapshot }, times, load)
  } finally {
    await generator.stop()
    await cluster.close()
  }
}

/** Messages at a steady rate through the front door, in windows. */
class Load {
  readonly flaws = new Set<string>()
  readonly #cluster: ClusterTestbed
  readonly #generator: Generator
  readonly #rate: number
  readonly #latencies = { before: [] as string[], meanwhile: [] as string[] }

  constructor(cluster: ClusterTestbed, generator: Generator, rate: number) {
    this.#cluster = cluster
    this.#generator = generator
    this.#rate = rate
  }

  /** Sends messages on each connection one after the other's answer. */
  async closed(count: number): Promise<void> {
    const { first, door } = this.#cluster
    await this.#generator.make(first.messages(count))
    const load = { port: door.port, connections: CONNECTIONS, rate: null }
    await this.#generator.send({ ...load, seconds: CLOSED_SECONDS_MAX })
  }

  async window(when: 'before' | 'meanwhile'): Promise<void> {
    const { first, door } = this.#cluster
    await this.#generator.make(first.messages(Math.ceil(this.#rate * WINDOW_SECONDS * 1.1)))
    const load = { port: door.port, connections: CONNECTIONS, rate: this.#rate }
    const sent = await this.#generator.send({ ...load, seconds: WINDOW_SECONDS })
    for (const flaw of flawsOf('the door', sent)) this.flaws.add(flaw)
    this.#latencies[when].push(sent.latency)
  }

  async until(signal: AbortSignal): Promise<void> {
    do await this.window('meanwhile')
    while (!signal.aborted)
  }

  percentiles(when: 'before' | 'meanwhile') {
    const { p50, p99, max } = percentilesOf(this.#latencies[when])
    return { p50, p99, max }
  }
}

/**
 * Plays the drain until no journal begins with its first entry: that takes two snapshots of each
 * member, and a snapshot needs further entries. False where some member keeps its first entry: a
 * new member gets pages and no snapshot then.
 */
async function trim(
  { first, members }: ClusterTestbed,
  load: () => Promise<void>,
): Promise<boolean> {
  for (let loads = 0; loads < TRIM_LOADS_MAX; loads++) {
    const untilMs = performance.now() + TRIM_MS_MAX
    while (performance.now() < untilMs) {
      const { journal_id, synced_seq: seq } = await first.client.status()
      await first.client.drained({ journal_id, seq })
      const statuses = await Promise.all(members.map(({ engine }) => engine.client.status()))
      if (statuses.every(({ first_seq }) => first_seq > 1)) return true
      await sleep(AGAIN_MS)
    }
    await load()
  }
  return false
}

/** Ends the member and empties its directory; the master key belongs to the machine. */
async function wipe({ engine }: Member): Promise<void> {
  process.kill(engine.engine.pid, 'SIGKILL')
  await engine.engine.stop()
  for (const name of readdirSync(engine.directory))
    if (name !== MASTER_KEY_FILE)
      rmSync(join(engine.directory, name), { recursive: true, force: true })
}

async function catchUp(cluster: ClusterTestbed, wiped: Member, cards: number): Promise<Times> {
  const { engine } = wiped
  const startedAt = performance.now()
  const since = (): number => performance.now() - startedAt
  await engine.again()
  let journalMs = 0
  while (journalMs === 0) {
    const { journal_id, first_seq: first } = await engine.client.status()
    const journal = first === 1 ? null : { journal_id, seq: first - 1 }
    const { attached } = await engine.client.attach({ database_id: DATABASE, journal })
    if (attached) journalMs = since()
    else await sleep(AGAIN_MS)
  }
  const configCache = {
    async apply(push: Parameters<typeof engine.client.pushConfig>[0]) {
      await engine.client.pushConfig(push)
      return { ok: true as const, value: null }
    },
  }
  await copyConfig(configCache, DATABASE, cluster.world.records({ cards }))
  const configMs = since()
  await cluster.untilEligible(wiped)
  return { journalMs, configMs, eligibleMs: since() }
}

function findingsOf(
  { cards, rate, needsSnapshot }: { cards: number; rate: number; needsSnapshot: boolean },
  { journalMs, configMs, eligibleMs }: Times,
  load: Load,
): Findings {
  const [before, meanwhile] = [load.percentiles('before'), load.percentiles('meanwhile')]
  const seconds = (ms: number): number => rounded(ms / 1000)
  return {
    lines: [
      '',
      `A new member beside ${rate} a second, ${cards.toLocaleString('en')} cards and as many open holds:`,
      needsSnapshot
        ? 'Its journal began with a snapshot of another member.'
        : 'Another member kept every entry: its journal came in pages, without a snapshot.',
      ['journal and state, s', seconds(journalMs)].map(column).join(''),
      ['and config records, s', seconds(configMs)].map(column).join(''),
      ['may take over after, s', seconds(eligibleMs)].map(column).join(''),
      ['', 'before', 'meanwhile'].map(column).join(''),
      ['p50 ms', before.p50, meanwhile.p50].map(column).join(''),
      ['p99 ms', before.p99, meanwhile.p99].map(column).join(''),
      ['longest ms', before.max, meanwhile.max].map(column).join(''),
    ],
    figures: {
      ...{ cards, rate, needs_snapshot: needsSnapshot, before, meanwhile },
      journal_s: seconds(journalMs),
      config_s: seconds(configMs),
      eligible_s: seconds(eligibleMs),
    },
    targets: [
      {
        sentence: 'p99 while a member catches up : before',
        ratio: rounded(meanwhile.p99 / before.p99),
        atMost: P99_RATIO_MAX,
      },
    ],
    flaws: [...load.flaws],
  }
}
