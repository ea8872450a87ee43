// Takes a snapshot of the decision state after a number of journal entries, and when the journal
// has no space for more; one at a time.
import type { Clock, Timer } from '../shared/clock.ts'
import type { Logger } from '../shared/log.ts'
import type { DecisionLog } from './journal/decision-log.ts'
import { openSnapshotMaker } from './snapshot-maker.ts'
import type { DecisionState } from './state/decision-state.ts'

export interface Snapshots {
  /** The last entry in a snapshot; 0 without one. */
  readonly takenSeq: number
  /**
   * The journal is not needed up to here: the snapshot before the latest covers it too, so an
   * unreadable latest one costs a longer replay and not the state. 0 until this process knows of
   * two.
   */
  readonly coveredSeq: number
  /** Entries up to `seq` became durable. */
  synced(seq: number): void
  /**
   * The journal has no space, and only a snapshot releases its entries: a snapshot of all synced
   * entries is taken, however few they are. If there is no space for the snapshot either, the
   * attempt is repeated.
   */
  makeRoom(): void
  stop(): Promise<void>
}

/**
 * Generous bytes per row in a snapshot: a transaction with its overflow, an answer, a meter with
 * its names.
 */
const [TRANSACTION_BYTES, ANSWER_BYTES, METER_BYTES] = [320, 64, 200]
/**
 * An entry takes about a kilobyte of the journal and less than half of that in a snapshot; the
 * reserve covers the further entries of three segments.
 */
const SEGMENTS_TO_COME = 1.5

/**
 * Returns the bytes kept free for the next snapshot, because no entry is released without one.
 * `state` is null while it is unknown.
 */
export function snapshotRoom(state: DecisionState | null, segmentBytes: number): number {
  const known =
    state === null
      ? 0
      : state.transactions.size * TRANSACTION_BYTES +
        state.recall.size * ANSWER_BYTES +
        state.meters.size * METER_BYTES
  return known + SEGMENTS_TO_COME * segmentBytes
}

/** Milliseconds between two attempts at a snapshot that frees space. */
const NO_ROOM_RETRY_MS = 1000

export interface SnapshotOptions {
  directory: string
  /** The one on this disk, as for `LocalTrim`. */
  journal: DecisionLog
  clock: Clock
  /** Last sequence in the snapshot found at start. */
  takenSeq: number
  everyEntries: number
  log: Logger
  onTaken(): void
}

/** Takes a snapshot after every given number of synced entries; one at a time, none at the end. */
export function startSnapshots(options: SnapshotOptions): Snapshots {
  const { log } = options
  let coveredSeq = 0
  let takenSeq = options.takenSeq
  let orderedSeq = takenSeq
  let taking = false
  let stopped = false
  let retry: Timer | null = null
  const maker = openSnapshotMaker()

  async function take(untilSeq: number, urgent: boolean): Promise<void> {
    orderedSeq = untilSeq
    taking = true
    const { directory, journal } = options
    const failure = await maker.make({ urgent, directory, journalId: journal.journalId, untilSeq })
    taking = false
    if (stopped) return
    // A failed snapshot costs only a longer replay: the next one tries again.
    if (failure !== null) {
      log.error({ reason: failure, seq: untilSeq }, 'snapshot failed')
      if (urgent) tryLater()
      return
    }
    coveredSeq = takenSeq
    takenSeq = untilSeq
    log.info({ seq: untilSeq }, 'snapshot taken')
    options.onTaken()
  }

  function tryLater(): void {
    retry ??= options.clock.after(NO_ROOM_RETRY_MS, () => {
      retry = null
      if (taking) tryLater()
      else if (!options.journal.writable) makeRoom()
    })
  }

  function makeRoom(): void {
    const { syncedSeq } = options.journal
    if (!taking && retry === null && syncedSeq > takenSeq) void take(syncedSeq, true)
  }

  return {
    get takenSeq() {
      return takenSeq
    },
    get coveredSeq() {
      return coveredSeq
    },
    synced(seq) {
      if (!taking && seq - orderedSeq >= options.everyEntries) void take(seq, false)
    },
    makeRoom,
    async stop() {
      stopped = true
      retry?.cancel()
      await maker.stop()
    },
  }
}
