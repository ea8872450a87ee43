// A thread that makes a snapshot. Chosen: it starts from the latest snapshot and applies the
// journal's own entries; it never touches the live state, so a snapshot costs the decision thread
// nothing but a share of the machine, at the lowest priority.
import { workerData } from 'node:worker_threads'
import { assert } from '../shared/assert.ts'
import { decodeEntry } from '../shared/wire/journal-entry.ts'
import { journalBytes } from './journal/segment-files.ts'
import { readLatestSnapshot, writeSnapshot } from './journal/snapshot-file.ts'
import { walkEntries } from './journal/walk-entries.ts'
import { emptyState, step } from './state/decision-state.ts'
import { snapshotChunks, stateFromChunks } from './state/snapshot.ts'

export interface SnapshotOrder {
  directory: string
  journalId: string
  /** A synced sequence; the snapshot is the state after it. */
  untilSeq: number
  /** No decision is possible before the snapshot exists. */
  urgent: boolean
}

const PAUSE_MS = 8
const PAUSE = new Int32Array(new SharedArrayBuffer(4))

function takeSnapshot(order: SnapshotOrder): void {
  const journal = journalBytes(order.journalId)
  assert(journal !== null, 'a journal without an id')
  const before = readLatestSnapshot(order.directory, order.journalId)
  const state = before === null ? emptyState() : stateFromChunks(before.chunks)
  const reached = walkEntries({
    directory: order.directory,
    journal,
    fromSeq: state.seq + 1,
    untilSeq: order.untilSeq,
    visit: (seq, bytes) => step(state, { type: 'entry', seq, entry: decodeEntry(bytes) }),
  })
  assert(reached === order.untilSeq, 'the journal ends before the entry it has synced')
  writeSnapshot(order.directory, {
    seq: state.seq,
    journalId: order.journalId,
    chunks: snapshotChunks(state),
    // The journal's own syncs have priority: between two steps of the snapshot they have the
    // device.
    pace: () => (order.urgent ? undefined : Atomics.wait(PAUSE, 0, 0, PAUSE_MS)),
  })
}

takeSnapshot(workerData as SnapshotOrder)
