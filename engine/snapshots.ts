// When a snapshot of the decision state is taken: every so many journal entries, and when there is no room for more of them; one at
// a time.
import type { Clock, Timer } from '../shared/clock.ts'
import type { Logger } from '../shared/log.ts'
import type { DecisionLog } from './journal/decision-log.ts'
import { openSnapshotMaker } from './snapshot-maker.ts'
import type { DecisionState } from './state/decision-state.ts'

export interface Snapshots {
  /** The last entry that a snapshot covers; 0 when there is none. */
  readonly takenSeq: number
  /**
   * The journal is not needed up to here: the snapshot before the latest covers it too, so that a latest one that does not
   * read back costs a longer replay and not the state. 0 until this process knows of two.
   */
  readonly coveredSeq: number
  /** Entries up to `seq` became durable. */
  synced(seq: number): void
  /**
   * The journal has no room, and only a snapshot lets its entries go: one is taken of all that are synced, however few they are.
   * Where there is no room for the snapshot either, it is tried again.
   */
  makeRoom(): void
  stop(): Promise<void>
}

/** Bytes of a snapshot for each of these, generously: a row with what does not fit it, an answer, a meter with its names. */
const [TRANSACTION_BYTES, ANSWER_BYTES, METER_BYTES] = [320, 64, 200]
/** An entry takes about a kilobyte of the journal and less than half of that in a snapshot; as much may still come as fits three. */
const SEGMENTS_TO_COME = 1.5

/**
 * Bytes that the next snapshot may take: they are kept free, because no entry is ever let go of without one. `state` is null while
 * it is not known yet.
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

/** Between two tries to take a snapshot for the room it makes. */
const NO_ROOM_RETRY_MS = 1000

export interface SnapshotOptions {
  directory: string
  journal: DecisionLog
  clock: Clock
  /** What the snapshot found at start covers. */
  takenSeq: number
  everyEntries: number
  log: Logger
  onTaken(): void
}

/** Takes a snapshot whenever so many entries were synced since the last one; one at a time, none at the end. */
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
    // A snapshot that fails costs a longer replay, nothing else: the next one tries again.
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
