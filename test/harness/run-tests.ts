// Tests side by side in processes, each the output of one file or of a folder whose files share a
// process. Every line is TAP of the library itself, so a failure keeps its diagnosis; the command
// of tap adds hooks to each process that double the time of its start.
import { availableParallelism } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { t } from 'tap'
import { COMPILED } from './compiled.ts'
import { PORTS_VARIABLE, portRanges } from './free-ports.ts'
import { PROCESS_S, type TestProcess, testProcesses } from './test-processes.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Two fill two cores, with the databases and services that they start; more only wait longer. */
const JOBS = availableParallelism()

/**
 * Memory that a test returned is mapped anew and not cleared by hand: a line in memory, as most
 * unit tests make one, maps 7 MB and touches little of it (mallopt(3); glibc only).
 */
const MALLOC = { MALLOC_MMAP_THRESHOLD_: '131072' }
/** In place of the hooks that the library of tap asks for in every process that a test starts. */
const NODE_OPTIONS = 'NODE_OPTIONS=' + COMPILED.NODE_OPTIONS
/** Fewer collections: a sixth of the processor time. */
const HEAP = '--max-semi-space-size=64'

function run({ name, folder, files }: TestProcess, ports: string): void {
  const [only] = files
  const together = [join(import.meta.dirname, 'run-together.ts'), folder ?? '', name]
  const script = folder === null ? [join(ROOT, only ?? '')] : together
  void t.spawn('env', [NODE_OPTIONS, process.execPath, HEAP, ...script], {
    name,
    buffered: true,
    cwd: ROOT,
    timeout: 1000 * PROCESS_S,
    env: { ...process.env, ...MALLOC, TAP_TIMEOUT: String(PROCESS_S), [PORTS_VARIABLE]: ports },
  })
}

/** Runs the tests of these files and folders, everything without names. The exit code is tap's. */
export function runTests(given: readonly string[]): void {
  const names = given.map((name) => relative(ROOT, resolve(name)))
  const processes = testProcesses(ROOT, names)
  if (!processes.ok) {
    process.stderr.write(processes.error + '\n')
    process.exitCode = 1
    return
  }
  t.setTimeout(0)
  t.jobs = JOBS
  const ports = portRanges(processes.value.length)
  for (const [at, one] of processes.value.entries()) run(one, ports[at] ?? '')
}
