// The history of one card whose limit is reached while owners are killed and paused: recorded at
// the door, explained by a linear order, and told alike by four witnesses: the answers, every
// member's journal, the windows that each journal gives again, and the answers to repeats.
import { type Test, test } from 'tap'
import { openSegmentLog } from '../../engine/journal/open-segment-log.ts'
import { recoverState } from '../../engine/recover-state.ts'
import { systemClock } from '../../shared/clock.ts'
import type { MinorUnits } from '../../shared/money.ts'
import { decodeEntry } from '../../shared/wire/journal-entry.ts'
import { type Cluster, type ClusterMember, journalOf, startCluster } from '../harness/cluster.ts'
import { Network, newBody } from '../harness/cluster-network.ts'
import { startDoor } from '../harness/door.ts'
import { NEEDS_ETCD } from '../harness/etcd.ts'
import { controlsConfig, limitConfig } from '../harness/judged.ts'
import { until } from '../harness/until.ts'
import { linearOrder, type Operation } from '../history/linear-order.ts'
import { Random } from '../simulation/random.ts'

const LIMIT_CENTS = 100_000
const LANES = 6
const SEED = 5

/** Sends random purchases of one card until it is told to stop, and records each. */
class Recorder {
  readonly operations: Operation[] = []
  readonly network: Network
  readonly #random = new Random(SEED)
  #running = true

  constructor(network: Network) {
    this.network = network
  }

  async run(): Promise<void> {
    const lane = async (): Promise<void> => {
      while (this.#running) await this.#buy()
    }
    await Promise.all(Array.from({ length: LANES }, lane))
  }

  stop(): void {
    this.#running = false
  }

  async #buy(): Promise<void> {
    const amountCents = 100 + this.#random.below(2000)
    const message = newBody({ amount_cents: amountCents })
    const sentMs = systemClock.monotonicNs() / 1e6
    const { answers } = await this.network.deliver(message)
    const { approved } = JSON.parse(answers[0] ?? '') as { approved: boolean }
    const answer = { approved, atMs: systemClock.monotonicNs() / 1e6 }
    this.operations.push({ id: message.id, amountCents, sentMs, answer })
  }
}

/** Recovers the state of a directory; windows that differ from the holds are refused. */
async function recovered(t: Test, { directory, engine, name }: ClusterMember): Promise<void> {
  engine.child.kill('SIGKILL')
  await engine.exited
  const journal = directory + '/journal'
  const opened = await openSegmentLog({
    directory: journal,
    segmentBytes: 4 * 1024 * 1024,
    clock: systemClock,
    events: { onSynced: () => undefined, onFailed: (reason) => t.fail(reason) },
  })
  if ('refused' in opened) return void t.fail(opened.refused)
  t.match(recoverState(journal, opened.log), { ok: true }, 'the windows of ' + name)
  await opened.log.close()
}

/** Kills the owner, or lets it stand still until another owns the shard. */
async function replaceOwner(cluster: Cluster, how: 'kill' | 'pause'): Promise<void> {
  const owner = await cluster.owning()
  const { epoch } = await cluster.owner()
  owner.engine.child.kill(how === 'kill' ? 'SIGKILL' : 'SIGSTOP')
  await cluster.nextOwner(epoch)
  if (how === 'pause') owner.engine.child.kill('SIGCONT')
  await owner.restart()
}

test(
  'the answers of a card fit its limit, across a killed and a paused owner',
  NEEDS_ETCD,
  async (t) => {
    const limits = [limitConfig({ interval: 'all_time', amount_cents: LIMIT_CENTS as MinorUnits })]
    const cluster = await startCluster(t, { config: { more: [controlsConfig({ limits })] } })
    const door = await startDoor(t, cluster)
    const recorder = new Recorder(new Network(t, () => [door.port]))
    const ran = recorder.run()
    await until(() => recorder.operations.length > 20)
    await replaceOwner(cluster, 'kill')
    await replaceOwner(cluster, 'pause')
    const after = recorder.operations.length
    await until(() => recorder.operations.length > after + 20)
    recorder.stop()
    await ran

    const { operations, network } = recorder
    const approvedCents = operations
      .filter(({ answer }) => answer?.approved)
      .reduce((sum, { amountCents }) => sum + amountCents, 0)
    t.ok(
      approvedCents <= LIMIT_CENTS && approvedCents > LIMIT_CENTS - 2100,
      approvedCents + ' cents',
    )
    t.ok(linearOrder(operations, LIMIT_CENTS), operations.length + ' answers have an order')
    const [first] = operations
    const wrong = operations.map((operation) =>
      operation === first ? { ...operation, answer: { approved: false, atMs: 0 } } : operation,
    )
    t.equal(linearOrder(wrong, LIMIT_CENTS), null, 'planted: the first one was declined')
    t.same(await network.contradictions(), [])

    const last = async (): Promise<Set<number>> =>
      new Set(
        await Promise.all(
          cluster.members.map(async ({ engine }) => (await engine.client.status()).synced_seq),
        ),
      )
    await until(async () => (await last()).size === 1)
    const answers = new Map(operations.map(({ id, answer }) => [id, answer?.approved]))
    for (const member of cluster.members) {
      const entries = (await journalOf(member)).map((hex) => decodeEntry(Buffer.from(hex, 'hex')))
      const decided = entries.filter((entry) => entry.kind === 'decision')
      const told = new Map(decided.map(({ message, decision }) => [message.id, decision.approved]))
      t.equal(told.size, decided.length, 'each message is decided once in the journal')
      const differing = [...answers].filter(([id, approved]) => told.get(id) !== approved)
      t.same(differing, [], 'the journal of ' + member.name + ' tells the same answers')
    }
    for (const member of cluster.members) await recovered(t, member)
  },
)
