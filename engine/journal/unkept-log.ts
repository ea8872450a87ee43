// A decision log that keeps nothing: for decisions that are made again, or for practice.
import type { DecisionLog } from './decision-log.ts'

/** `append` gets each entry's bytes, valid during the call, and returns its sequence. */
export function unkeptLog(append: (bytes: Buffer) => number): DecisionLog {
  return {
    journalId: '',
    epoch: 0,
    lastSeq: 0,
    syncedSeq: 0,
    oldestSeq: 0,
    waiting: 0,
    waitingMs: 0,
    writable: true,
    append,
    read: () => Promise.reject(new Error('nothing reads a journal that is not kept')),
    trim: () => undefined,
    close: () => Promise.resolve(),
  }
}
