// Runs tests like run.ts and prints only failures and totals: the loop of a change. With --watch it
// runs again after each change of a source.
import { spawn } from 'node:child_process'
import { watch } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { systemClock, type Timer } from '../shared/clock.ts'
import { dueTests } from './harness/due-tests.ts'
import { isLong } from './harness/long.ts'
import { FILES_VARIABLE } from './harness/test-processes.ts'

const ROOT = join(import.meta.dirname, '..')
const HELP = `Runs tests and prints only failures and totals.

  npm run test:unit -- [folder or file …]
  npm run test:watch -- [folder or file …]    again after each change of a source

Without names: the files of test/unit of which a source, or a file beside the sources, has changed since they passed.
  --all    every file of test/unit
`
const UNIT = 'test/unit'
const WATCHED = ['api', 'client', 'engine', 'scripts', 'shared', 'test', 'bench']
/** An editor writes several files at once. */
const SETTLE_MS = 200
/** Longest diagnosis of one failure. */
const DIAGNOSIS_LINES_MAX = 60

/** Resolves with the exit code. */
async function runDue(): Promise<number> {
  const { due, passed, keep } = dueTests(ROOT, UNIT)
  if (passed > 0)
    process.stdout.write('# ' + passed + ' files passed with these sources: --all runs them too\n')
  if (due.length === 0) return 0
  const code = await run([UNIT], { [FILES_VARIABLE]: due.join() })
  if (code === 0) keep()
  return code
}

/** Resolves with the exit code. */
function run(names: readonly string[], more: { readonly [name: string]: string } = {}) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'run.ts'), ...names], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: ROOT,
    env: { ...process.env, ...more },
  })
  let left = 0
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (/^ *not ok/.test(line)) left = DIAGNOSIS_LINES_MAX
    if (left > 0 || /^# /.test(line) || line === 'Bail out!') process.stdout.write(line + '\n')
    left = /^ *\.\.\.$/.test(line) ? 0 : left - 1
  })
  return new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? 1)))
}

/** Runs, and again for whatever changed meanwhile or later; never returns. */
function runOnChange(runAgain: () => Promise<number>): void {
  let timer: Timer | null = null
  let running = false
  let changed = false
  const start = async (): Promise<void> => {
    if (running) {
      changed = true
      return
    }
    running = true
    do {
      changed = false
      await runAgain()
    } while (changed)
    running = false
    process.stdout.write('# waiting for a change\n')
  }
  for (const folder of WATCHED)
    watch(join(ROOT, folder), { recursive: true }, (_event, file) => {
      if (file === null || !/\.(ts|json)$/.test(file)) return
      timer?.cancel()
      timer = systemClock.after(SETTLE_MS, () => void start())
    })
  void start()
}

const { values, positionals } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h' },
    watch: { type: 'boolean' },
    all: { type: 'boolean' },
  },
  allowPositionals: true,
})
const names = positionals.length > 0 ? positionals : [UNIT]
/** Another seed, or the long form, tries what did not pass yet. */
const isOther = process.env['SVC_TEST_SEED'] !== undefined || isLong
const isWhole = values.all === true || positionals.length > 0 || isOther
const runOnce = () => (isWhole ? run(names) : runDue())
if (values.help) process.stdout.write(HELP)
else if (values.watch) runOnChange(runOnce)
else process.exitCode = await runOnce()
