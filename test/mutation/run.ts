// `npm run mutants`: makes each small wrong change of the files in TARGETS in a copy of the
// sources, and runs the tests of the changed place until one fails. A mutant that none of them
// notices must be explained in survivors.ts.
import { runCommand } from '../../shared/command-line.ts'

const HELP = `Usage: npm run mutants -- [--file PATHS] [--only PLACES] [--tests PATHS] [--explained]
                      [--sample N] [--seed N] [--jobs N]
       npm run mutants -- --scenarios [--only NUMBERS]
       npm run mutants -- --contracts [--only WORDS]

Makes each small wrong change of engine/rules, state, memory, lifecycle, plain-json, what
decides about money in engine/line, and a few files that stand alone, one at a time in a copy of the
sources, and asks the unit tests and simulations that run the changed place. Lists the mutants that no
test notices and test/mutation/survivors.ts does not explain, then counts them all by file and folder.
Exits 1 when one is open. Ctrl-C ends it early; it still says what it has found.

  --file PATHS     only files whose path begins like this: engine/rules,engine/state/windows.ts
  --only PLACES    only at these lines, or columns: engine/lifecycle/advice.ts:40,engine/rules/decline-detail.ts:13:8
  --tests PATHS    asks only tests whose path begins like this: test/unit/rules; what is open then is a
                   candidate
  --explained      asks about the explained ones too, and says which of them a test notices after all
  --sample N       only so many, chosen by chance
  --seed N         of that chance (default 1)
  --jobs N         side by side (default 2)
  --scenarios      instead: the change that stands beside each of the sixty scenarios, and of the stories of
                   payments (from 101 on), must turn it red; --only 21,22 plays only these
  --contracts      instead: each wrong change of the contracts of payments must fail a test of forge; --only
                   refund,release makes only those whose loss has one of these words
  --help           this text
`

await runCommand({
  help: HELP,
  run: async () => (await import('./run-mutants.ts')).main(),
})
