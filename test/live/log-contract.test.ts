// The promises of a decision log, held by each of its implementations.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { shardKeys } from '../../engine/agreement/keys.ts'
import { foundTransaction } from '../../engine/agreement/protocol.ts'
import { SimulatedStore } from '../../engine/agreement/simulated-store.ts'
import type { AgreementStore } from '../../engine/agreement/store.ts'
import { openSegmentLog } from '../../engine/journal/open-segment-log.ts'
import { SimulatedLog, simulatedDisk } from '../../engine/journal/simulated-log.ts'
import { systemClock } from '../../shared/clock.ts'
import { etcdNodes, etcdStore, NEEDS_ETCD, settled } from '../harness/etcd.ts'
import { holdToContract, type OpenedLog, type OpenLog } from '../harness/log-contract.ts'
import { ownedLog } from '../harness/owned-log.ts'
import { until } from '../harness/until.ts'

const JOURNAL = 'jrn_' + '0'.repeat(26)

function segments(t: Test): OpenLog {
  const directory = mkdtempSync(join(tmpdir(), 'svc-contract-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return () => openSegments(t, directory)
}

async function openSegments(t: Test, directory: string): Promise<OpenedLog> {
  const synced: number[] = []
  const opened = await openSegmentLog({
    directory,
    segmentBytes: 64 * 1024,
    clock: systemClock,
    journalId: JOURNAL,
    events: { onSynced: (seq) => synced.push(seq), onFailed: (reason) => t.fail(reason) },
  })
  if ('refused' in opened) throw new Error(opened.refused)
  const { log } = opened
  t.teardown(() => log.close())
  return { log, synced, settled: () => until(() => log.waiting === 0) }
}

/** The log around segments, whose owner is a new member in the next epoch at each opening. */
function replicated(t: Test, store: AgreementStore): OpenLog {
  const keys = shardKeys('test', 'one')
  const directory = mkdtempSync(join(tmpdir(), 'svc-contract-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  let founded = false
  return async () => {
    if (!founded) await settled(store, foundTransaction(keys, { journalId: JOURNAL, lastSeq: 0 }))
    founded = true
    const synced: number[] = []
    const owned = await ownedLog(t, {
      store,
      keys,
      openLocal: async (events) => {
        const opened = await openSegmentLog({
          directory,
          segmentBytes: 64 * 1024,
          clock: systemClock,
          journalId: JOURNAL,
          events,
        })
        if ('refused' in opened) throw new Error(opened.refused)
        return opened.log
      },
      onSynced: (seq) => synced.push(seq),
    })
    t.teardown(() => owned.log.close())
    return { log: owned.log, synced, settled: () => until(() => owned.log.waiting === 0) }
  }
}

test('segments on disk keep the promises of a decision log', (t) => holdToContract(t, segments(t)))

test('the simulated log keeps the promises of a decision log', (t) => {
  const disk = simulatedDisk(JOURNAL)
  return holdToContract(t, async () => {
    const synced: number[] = []
    const events = { onSynced: (seq: number) => synced.push(seq), onFailed: () => {} }
    const log = new SimulatedLog({ disk, events, clock: systemClock })
    return { log, synced, settled: async () => log.sync() }
  })
})

test('the replicated log over a simulated store keeps the promises of a decision log', (t) => {
  const store = new SimulatedStore({
    clock: systemClock,
    delayMs: () => 1,
    lateMs: () => 1,
    fate: () => 'answered',
  })
  return holdToContract(t, replicated(t, store.client('a')))
})

test('the replicated log over etcd keeps the promises of a decision log', NEEDS_ETCD, async (t) => {
  const nodes = await etcdNodes(t)
  const store = etcdStore(
    t,
    nodes.map(({ endpoint }) => endpoint),
  )
  await holdToContract(t, replicated(t, store))
})
