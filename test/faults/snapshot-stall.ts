// The cost of snapshots: a journal with a million open holds, steady load and constant snapshots;
// compares the answers given during a snapshot with the others.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build as buildHistogram } from 'hdr-histogram-js'
import { listSnapshots } from '../../engine/journal/snapshot-file.ts'
import { newMessage } from '../../scripts/simulate/message.ts'
import { openNetwork } from '../../scripts/simulate/network.ts'
import type { SandboxCard } from '../../scripts/start/sandbox-secrets.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import type { NetworkMessage } from '../../shared/schemas/network-message.ts'
import { until } from '../harness/until.ts'
import type { FaultRun, Findings } from './fault.ts'
import { writeApprovals } from './many-entries.ts'
import { startStack } from './stack.ts'

const HOLDS = 1_000_000
const CARDS = 100_000
const RATE_PER_S = 500
const SECONDS = 60
const ADDED_MS_MAX = 5
const LOOK_MS = 10
/** The first snapshot covers the whole journal, at the lowest priority. */
const FIRST_MS_MAX = 600_000
/** The thread of that snapshot ends within this time. */
const SETTLE_MS = 2000

export async function measureSnapshotStall(t: FaultRun): Promise<Findings> {
  const { say } = t
  const stack = await startStack(t, {
    environment: { SVC_SNAPSHOT_ENTRIES: '8000' },
    prepare: async (directory) => {
      // Entries without a card drain as unmatched messages: holds for the engine, little work for
      // PostgreSQL.
      await writeApprovals(join(directory, 'journal'), HOLDS, (index) => {
        const card = 'card_' + (index % CARDS)
        return { card: null, subjects: [card, 'ch_' + card, 'prog_1'] }
      })
      say(HOLDS.toLocaleString('en') + ' approvals written to the journal')
    },
  })
  const card = stack.secrets.cards['load_plain_1']
  if (card === undefined) throw new Error('the sandbox has no card for load')
  const network = openNetwork(
    { engine_url: stack.engineUrl, network: stack.secrets.network },
    systemClock,
    32,
  )
  await network.warm()
  say('draining them')
  await stack.drained()
  const journal = join(stack.directory, 'journal')
  await network.send(messageOn(card))
  await until(() => listSnapshots(journal).length > 0, FIRST_MS_MAX)
  await sleep(SETTLE_MS)
  const snapshots = watchSnapshots(stack.engineProcess.pid)
  say('the first snapshot is there')
  const [during, outside] = [buildHistogram(), buildHistogram()]
  let answered = 0
  const begin = systemClock.nowMs()
  for (let sent = 0; sent < RATE_PER_S * SECONDS; sent++) {
    const intendedMs = begin + (sent * 1000) / RATE_PER_S
    const waitMs = intendedMs - systemClock.nowMs()
    if (waitMs > 0) await sleep(waitMs)
    const { taking } = snapshots
    void network.send(messageOn(card)).then(({ answer, tookMs }) => {
      if (answer === null) return
      answered += 1
      const histogram = taking || snapshots.taking ? during : outside
      histogram.recordValue(Math.round(tookMs * 1000))
    })
  }
  await sleep(2000)
  snapshots.stop()
  network.close()
  const line = (name: string, histogram: typeof during): string =>
    name +
    ': ' +
    histogram.totalCount +
    ' answers, ' +
    [50, 99, 99.9, 100]
      .map((at) => 'p' + at + ' ' + (histogram.getValueAtPercentile(at) / 1000).toFixed(2) + ' ms')
      .join(', ')
  say(line('while a snapshot was taken', during))
  say(line('otherwise', outside))
  const problems: string[] = []
  if (during.totalCount < 500)
    problems.push('too few answers during a snapshot: ' + during.totalCount)
  const [withOne, without] = [during, outside].map((one) => one.getValueAtPercentile(99.9) / 1000)
  const addedMs = (withOne ?? 0) - (without ?? 0)
  if (addedMs > ADDED_MS_MAX)
    problems.push('snapshots added ' + addedMs.toFixed(2) + ' ms to one answer of a thousand')
  return {
    problems,
    injected:
      answered +
      ' answers with ' +
      HOLDS.toLocaleString('en') +
      ' open holds, snapshots all the time',
  }
}

function messageOn(card: SandboxCard): NetworkMessage {
  const moment = { now: systemClock.nowMs(), currency: card.currency }
  return newMessage({ token: card.token }, moment, { amount_cents: 1 })
}

/** Follows whether a snapshot is being taken: the process then has one thread more. */
function watchSnapshots(pid: number): { readonly taking: boolean; stop(): void } {
  const [maker] = childrenOf(pid)
  if (maker === undefined) throw new Error('nobody makes the engine its snapshots')
  const idle = threadsOf(maker)
  let taking = false
  const ended = new AbortController()
  const look = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      taking = threadsOf(maker) > idle
      await sleep(LOOK_MS, ended.signal)
    }
  }
  void look()
  return {
    get taking() {
      return taking
    },
    stop: () => ended.abort(),
  }
}

function childrenOf(pid: number): number[] {
  const path = join('/proc', String(pid), 'task', String(pid), 'children')
  return readFileSync(path, 'utf8').trim().split(' ').filter(Boolean).map(Number)
}

function threadsOf(pid: number): number {
  return readdirSync(join('/proc', String(pid), 'task')).length
}
