// `npm test`: formatter, linter and compiler, and then every test.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { shouldRun } from '../shared/command-line.ts'

const HELP = `Runs formatter, linter, compiler and every test, and prints TAP.

  npm test [-- folder or file …]

With names only their tests run. Exit code 1 when formatter, linter or compiler complains, which ends the run, or when
an assertion failed. npm run test:some leaves the checks out; npm run test:unit prints only failures.
`

/** The exit code of formatter, linter and compiler. */
function check(): number {
  const { status } = spawnSync('npm', ['run', 'check'], {
    cwd: join(import.meta.dirname, '..'),
    stdio: 'inherit',
  })
  return status ?? 1
}

if (await shouldRun({ help: HELP })) {
  const code = check()
  if (code === 0) (await import('./harness/run-tests.ts')).runTests(process.argv.slice(2))
  else process.exitCode = code
}
