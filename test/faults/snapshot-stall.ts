// What snapshots cost: a journal with a million open holds, steady load, snapshots all the time, and the answers that were
// given while one was being taken beside those given while none was.
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { build as buildHistogram } from 'hdr-histogram-js'
import { openSegmentLog } from '../../engine/journal/open-segment-log.ts'
import { newMessage } from '../../scripts/simulate/message.ts'
import { openNetwork } from '../../scripts/simulate/network.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { encodeEntry } from '../../shared/wire/journal-entry.ts'
import { decisionEntry } from '../harness/entries.ts'
import { until } from '../harness/until.ts'
import type { FaultRun, Findings } from './fault.ts'
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
      await writeHolds(join(directory, 'journal'))
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

/** A million approvals of a hundred thousand cards, as an engine would have journalled them. */
async function writeHolds(directory: string): Promise<void> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const opened = await openSegmentLog({
    directory,
    segmentBytes: 256 * 1024 * 1024,
    clock: systemClock,
    events: {
      onSynced: () => undefined,
      onFailed: (reason) => {
        throw new Error(reason)
      },
    },
  })
  if ('refused' in opened) throw new Error(opened.refused)
  const now = systemClock.nowMs()
  const day = Number(new Date(now).toISOString().slice(0, 10).replaceAll('-', ''))
  for (let index = 0; index < HOLDS; index++) {
    const id = newId('msg', now)
    const entry = decisionEntry({
      receivedAtMs: now,
      // Without a card they drain as unmatched messages: holds for the engine, little work for PostgreSQL.
      card: null,
      transactionId: newId('txn', now),
      messageKey: keyOf(index),
    })
    const card = 'card_' + (index % CARDS)
    entry.message = { ...entry.message, id }
    entry.decision = {
      ...entry.decision,
      meters: [
        [card, 'UTC', 'USD', day],
        ['ch_' + card, 'UTC', 'USD', day],
        ['prog_1', 'UTC', 'USD', day],
      ],
    }
    opened.log.append(encodeEntry(entry))
    if (index % 2000 === 1999)
      while (opened.log.waiting > 4000 || !opened.log.writable) await sleep(1)
  }
  await opened.log.close()
}

function keyOf(index: number): Buffer {
  const key = Buffer.alloc(16)
  key.writeUInt32BE(index, 0)
  key.writeUInt32BE(Math.imul(index, 0x9e3779b1) >>> 0, 4)
  return key
}
