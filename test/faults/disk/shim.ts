// The machine's own disk made slow, failing or watched for one process: a small library that its
// linker loads first, compiled when it is needed. Where the machine has no compiler, the faults
// that need it are skipped.
import { spawnSync } from 'node:child_process'
import {
  closeSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Teardown } from '../../harness/postgres.ts'

const SOURCE = new URL('shim.c', import.meta.url).pathname
const NUMBERS = ['slow_us', 'failing', 'seen', 'failed'] as const
const NUMBER_BYTES = 4
/** Every sync fails. */
export const EVERY_SYNC = -1

export interface Shim {
  /** Environment variables for the process. */
  environment(directory: string): { [name: string]: string }
  /** Path of the record of changes and answers; empty until the process ran with `watched`. */
  logPath: string
  /** Delays every sync from now on. */
  slow(us: number): void
  /** Fails this number of syncs with EIO from now on. */
  fail(syncs: number): void
  counts(): { seen: number; failed: number }
}

/** Null if nothing can be compiled here. */
export function buildShim(t: Teardown, options: { watched?: boolean } = {}): Shim | null {
  const directory = mkdtempSync(join(tmpdir(), 'svc-shim-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const library = join(directory, 'shim.so')
  const made = spawnSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, SOURCE, '-ldl'])
  if (made.status !== 0) return null
  const control = join(directory, 'control')
  const logPath = join(directory, 'log')
  writeFileSync(control, Buffer.alloc(NUMBERS.length * NUMBER_BYTES))
  const put = (name: (typeof NUMBERS)[number], value: number): void => {
    const bytes = Buffer.alloc(NUMBER_BYTES)
    bytes.writeInt32LE(value)
    const fd = openSync(control, 'r+')
    writeSync(fd, bytes, 0, NUMBER_BYTES, NUMBERS.indexOf(name) * NUMBER_BYTES)
    closeSync(fd)
  }
  return {
    logPath,
    environment: (below) => ({
      LD_PRELOAD: library,
      SHIM_DIRECTORY: below,
      SHIM_CONTROL: control,
      ...(options.watched === true ? { SHIM_LOG: logPath } : {}),
    }),
    slow: (us) => put('slow_us', us),
    fail: (syncs) => put('failing', syncs),
    counts() {
      const fd = openSync(control, 'r')
      const bytes = Buffer.alloc(NUMBERS.length * NUMBER_BYTES)
      readSync(fd, bytes, 0, bytes.length, 0)
      closeSync(fd)
      return { seen: bytes.readInt32LE(8), failed: bytes.readInt32LE(12) }
    },
  }
}

/** Why the faults that need the shim are skipped here. */
export const NO_COMPILER = 'the machine has no C compiler (cc)'
