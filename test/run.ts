// Runs tests as `npm test` does, without formatter, linter and compiler.
import { shouldRun } from '../shared/command-line.ts'

const HELP = `Runs tests and prints TAP.

  npm run test:some -- [folder or file …]

Without names everything runs. A file runs by itself, a folder as in a whole run: test/unit.
Exit code 1 when an assertion failed.
`

if (await shouldRun({ help: HELP }))
  (await import('./harness/run-tests.ts')).runTests(process.argv.slice(2))
