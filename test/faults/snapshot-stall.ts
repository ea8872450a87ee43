// What snapshots cost: a journal with a million open holds, steady load, snapshots all the time, and the answers that were
// given while one was being taken beside those given while none was.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { build as buildHistogram } from 'hdr-histogram-js'
import { newMessage } from '../../scripts/simulate/message.ts'
import { openNetwork } from '../../scripts/simulate/network.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { until } from '../harness/until.ts'
import type { FaultRun, Findings } from './fault.ts'
import { writeApprovals } from './many-entries.ts'
import { startStack } from './stack.ts'

const HOLDS = 1_000_000
const CARDS = 100_000
const RATE_PER_S = 500
const SECONDS = 60
const ADDED_MS_MAX = 5
const DRAIN_MS_MAX = 240_000

export async function measureSnapshotStall(t: FaultRun): Promise<Findings> {
  const { say } = t
  const stack = await startStack(t, {
    environment: { SVC_SNAPSHOT_ENTRIES: '8000' },
    prepare: async (directory) => {
      // Without a card they drain as unmatched messages: holds for the engine, little work for PostgreSQL.
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
  await until(async () => {
    const status = await stack.engine.status()
    return status.drained_seq === status.synced_seq
  }, DRAIN_MS_MAX)
  const [during, outside] = [buildHistogram(), buildHistogram()]
  const journal = join(stack.directory, 'journal')
  let answered = 0
  const begin = systemClock.nowMs()
  for (let sent = 0; sent < RATE_PER_S * SECONDS; sent++) {
    const intendedMs = begin + (sent * 1000) / RATE_PER_S
    const waitMs = intendedMs - systemClock.nowMs()
    if (waitMs > 0) await sleep(waitMs)
    const taking = snapshotRuns(journal)
    const message = newMessage(
      { token: card.token },
      { now: systemClock.nowMs(), currency: card.currency },
      { amount_cents: 1 },
    )
    void network.send(message).then(({ answer, tookMs }) => {
      if (answer === null) return
      answered += 1
      const histogram = taking || snapshotRuns(journal) ? during : outside
      histogram.recordValue(Math.round(tookMs * 1000))
    })
  }
  await sleep(2000)
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
  const addedMs = (during.maxValue - outside.maxValue) / 1000
  if (addedMs > ADDED_MS_MAX)
    problems.push('snapshots added ' + addedMs.toFixed(2) + ' ms to the slowest answer')
  return {
    problems,
    injected:
      answered +
      ' answers with ' +
      HOLDS.toLocaleString('en') +
      ' open holds, snapshots all the time',
  }
}

function snapshotRuns(journal: string): boolean {
  return (
    existsSync(journal) &&
    readdirSync(journal).some(
      (name) =>
        name.endsWith('.tmp') &&
        name.startsWith('snapshot') &&
        statSync(join(journal, name), { throwIfNoEntry: false }) !== undefined,
    )
  )
}
