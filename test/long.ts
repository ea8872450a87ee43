// Runs tests in their long form: those of `npm test` with more repeats, and those of test/drills.
import { shouldRun } from '../shared/command-line.ts'
import { LONG_VARIABLE } from './harness/long.ts'

const HELP = `Runs tests in their long form and prints TAP.

  npm run test:long -- [folder or file …]

Without names everything runs, test/drills included: an hour and more on two cores. Exit code 1 when an assertion failed.
`

if (await shouldRun({ help: HELP })) {
  process.env[LONG_VARIABLE] = '1'
  ;(await import('./harness/run-tests.ts')).runTests(process.argv.slice(2))
}
