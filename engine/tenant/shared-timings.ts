// The times spent by open calls, in memory shared by the decision thread and the worker threads:
// the decision thread stops waiting at the deadline, and still has to record the call's times up to
// then.
import type { SpentTimes } from './caller.ts'

const FIELDS = 2

export interface SharedTimings {
  write(cell: number, spent: SpentTimes): void
  read(cell: number): SpentTimes
}

/** Returns memory for this many cells, all zero. */
export function newTimingsMemory(cells: number): SharedArrayBuffer {
  return new SharedArrayBuffer(cells * FIELDS * Int32Array.BYTES_PER_ELEMENT)
}

/** The cells of a memory, as one thread sees them. */
export function sharedTimings(memory: SharedArrayBuffer): SharedTimings {
  const fields = new Int32Array(memory)
  return {
    write(cell, { signUs, connectUs }) {
      Atomics.store(fields, cell * FIELDS, signUs)
      Atomics.store(fields, cell * FIELDS + 1, connectUs)
    },
    read: (cell) => ({
      signUs: Atomics.load(fields, cell * FIELDS),
      connectUs: Atomics.load(fields, cell * FIELDS + 1),
    }),
  }
}
