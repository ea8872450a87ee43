// The decision log behind one interface: segments on disk, a replicated log around them, a
// simulated one for tests. Entries are opaque bytes with a gap-free sequence from 1.
import type { Histogram } from '../../shared/histogram.ts'
import type { Replay } from './replay.ts'

export interface AppendedEntry {
  seq: number
  bytes: Buffer
}

export interface DecisionLog {
  readonly journalId: string
  /**
   * Grows by one at every open, a replicated one's at every change of owner: a stale process's
   * batches are recognised by it.
   */
  readonly epoch: number
  /** Sequence of the last appended entry, synced or not. */
  readonly lastSeq: number
  /** Everything up to here is on disk. */
  readonly syncedSeq: number
  /** Oldest entry still kept; 0 when there is none. */
  readonly oldestSeq: number
  /** Entries appended and not yet synced. */
  readonly waiting: number
  /** Age of the oldest such entry in milliseconds; 0 when none. */
  readonly waitingMs: number
  /** False once the log cannot take more (failed, closed, no spare segment): answer 503. */
  readonly writable: boolean
  /**
   * Copies the entry into the next batch and returns its sequence; `onSynced` of open reports when
   * it is durable.
   */
  append(bytes: Buffer): number
  /**
   * Synced entries from `fromSeq` on, as `u32 LE length, bytes` each, at most about `bytesMax` (at
   * least one entry).
   */
  read(
    fromSeq: number,
    bytesMax: number,
  ): Promise<{ firstSeq: number; count: number; frames: Buffer }>
  /** Entries up to `seq` are drained and in a snapshot: their segments may be recycled. */
  trim(seq: number): void
  /** Writes the waiting entries, then releases the directory. */
  close(): Promise<void>
}

export interface DecisionLogEvents {
  /** Everything up to `seq` is durable. Called on the decision thread. */
  onSynced(seq: number): void
  /** The log failed: nothing more may be answered. The process exits after this. */
  onFailed(reason: string): void
}

/** The log of an engine process: it also recovers, and remembers the database that confirmed it. */
export interface EngineLog extends DecisionLog {
  /** False until a database confirmed this journal as its own; survives restarts. */
  readonly attached: boolean
  /** How long each write since the start took to be durable. */
  readonly syncs: Histogram
  /** Begins the write now: no further entry comes in this turn of the event loop. */
  writeNow(): void
  /** Records durably that a database confirmed this journal. */
  markAttached(): Promise<void>
  /** Every durable entry from `fromSeq` on, at start. */
  replay(fromSeq: number, visit: (seq: number, bytes: Buffer) => void): Replay
}
