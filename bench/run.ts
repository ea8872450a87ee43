// `npm run bench [name…]`: measures this machine's copy beside alternatives of a user, writes the
// figures and a report with charts to bench/results/, and fails if a target is missed or a figure
// is invalid.
import { runCommand } from '../shared/command-line.ts'
import { SUMMARIES } from './summaries.ts'

const HELP = `Usage: npm run bench [-- name… --quick --long]

Measures the service in turns with a peer that does the same work, so the noise of the machine hits both.
The claims are ratios. Figures and a report go to bench/results/, a pair of files per run.

${Object.entries(SUMMARIES)
  .map(([name, summary]) => '  ' + name.padEnd(12) + summary)
  .join('\n')}

  --quick    fewer and shorter pairs, for a first look; without a name, the benches that fit into two minutes
  --long     also the benches that take an hour
  --help     this text

BENCH_DIR names the directory for journals and databases; it has to lie on a disk.
BENCH_PROFILE names a directory for processor profiles of the measured processes.
BENCH_PLANT=15 slows the engine of -- budget by 15 percent, on purpose: the bench has to end with WORSE.
BENCH_TAIL_MINUTES and BENCH_TAIL_RATE set the length and the messages a second of -- tail --long.

Exit code 1 if a target is missed, a figure is invalid, or a ratio is worse than bench/budget.ts accepts.
`

await runCommand({
  help: HELP,
  run: async () => (await import('./run-benches.ts')).main(),
})
