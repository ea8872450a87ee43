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
/** As many syncs as come. */
export const EVERY_SYNC = -1

export interface Shim {
  /** What the process is started with. */
  environment(directory: string): { [name: string]: string }
  /** Where changes and answers are recorded; nothing is before the process ran with `watched`. */
  logPath: string
  /** From now on every sync takes so long. */
  slow(us: number): void
  /** So many syncs fail with EIO from now on. */
  fail(syncs: number): void
  counts(): { seen: number; failed: number }
}

/** Null where nothing can be compiled here. */
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
