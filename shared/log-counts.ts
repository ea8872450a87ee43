// Memory that a process and the thread that writes its log share.

export interface LogWriterOptions {
  /** Descriptor of the log. */
  fd: number
  /** The process, for the line that counts the dropped ones. */
  name: string
  /** An Int32Array of LOG_COUNTS. */
  counts: SharedArrayBuffer
}

/** Places in the array that the process and its writer share. */
export const LOG_COUNTS = {
  /** Chunks that the writer has written or dropped. */
  done: 0,
  /** 1 during a system call that may block. */
  writing: 1,
  /** Lines that the process dropped because too many waited. */
  refused: 2,
  /** Lines that the writer dropped because the system refused them. */
  failed: 3,
  /** Number of the last error of the descriptor, 0 when there was none. */
  errno: 4,
  /** 1 once the writer has begun. */
  ready: 5,
} as const
