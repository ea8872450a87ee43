// A row of the matrix that already has a test: its file runs as under `npm test`, or in its long
// form.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LONG_VARIABLE } from '../harness/long.ts'
import { PROCESS_S } from '../harness/test-processes.ts'
import type { Effort, Fault, FaultRun, Findings, Skipped } from './fault.ts'
import type { Environment } from './part.ts'
import { runNodeScript } from './script.ts'

const ROOT = join(import.meta.dirname, '../..')

/**
 * The row whose faults the tests in these files inject. `extent` gives the settings by which they
 * inject as much as the effort says.
 */
export function tested(
  row: number,
  asserts: string,
  name: string,
  files: readonly string[],
  extent: (effort: Effort) => Environment = () => ({}),
): Fault {
  return { row, asserts, name, run: (t) => runFiles(t, files, extent(t.effort)) }
}

async function runFiles(
  t: FaultRun,
  files: readonly string[],
  extent: Environment,
): Promise<Findings | Skipped> {
  const missing = files.filter((file) => !existsSync(join(ROOT, file)))
  if (missing.length > 0) return { skipped: missing.join(', ') + ' is not there' }
  const form = { [LONG_VARIABLE]: t.effort.isAlone ? '1' : '0', TAP_TIMEOUT: String(PROCESS_S) }
  const problems: string[] = []
  let assertions = 0
  for (const file of files) {
    const { code, output } = await runNodeScript(file, [], { ...form, ...extent })
    assertions += (output.match(/^ *ok \d+/gm) ?? []).length
    const failed = output.match(/^ *not ok \d+.*$/gm) ?? []
    problems.push(...failed.map((line) => file + ': ' + line.trim()))
    if (code !== 0 && failed.length === 0) problems.push(file + ' ended with code ' + code)
    t.say(file)
  }
  return { injected: files.join(', ') + ': ' + assertions + ' checks', problems }
}
