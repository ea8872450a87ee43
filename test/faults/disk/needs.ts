// Options of tests that need a disk of their own: where this machine has none, tap shows the test
// as skipped, and why.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCutDisk } from './cut-disk.ts'
import { mountMemory } from './no-room.ts'
import { NO_COMPILER } from './shim.ts'

type Options = { skip: string } | Record<string, never>

const options = (problem: string | null): Options => (problem === null ? {} : { skip: problem })

/** Runs a task of a test outside of one; the problem that it returns or throws. */
function tried(task: (t: { teardown(task: () => unknown): void }) => string | null): string | null {
  const tasks: (() => unknown)[] = []
  try {
    return task({ teardown: (end) => void tasks.push(end) })
  } catch (error) {
    return String(error)
  } finally {
    for (const end of tasks) end()
  }
}

/** Options of a test that compiles a library. */
export function needsCompiler(): Options {
  return options(spawnSync('cc', ['--version']).error === undefined ? null : NO_COMPILER)
}

/** Options of a test that mounts a file system in memory. */
export function needsMount(): Options {
  const directory = mkdtempSync(join(tmpdir(), 'svc-mount-'))
  const problem = tried((t) =>
    mountMemory(t, join(directory, 'mounted'), 64 * 1024)
      ? null
      : 'this user may not mount a file system',
  )
  rmSync(directory, { recursive: true, force: true })
  return options(problem)
}

/** Options of a test that cuts the power of a disk. */
export function needsCutDisk(): Options {
  return options(
    tried((t) => {
      const disk = openCutDisk(t)
      if (typeof disk === 'string') return disk
      disk.cut()
      return null
    }),
  )
}
