// `npm run soak -- --minutes N`: real processes, faults drawn from a seed, a network that remembers
// everything, and at the end a comparison of its history with the journal, PostgreSQL and the
// windows.
import { runCommand } from '../../shared/command-line.ts'

const HELP = `Usage: npm run soak -- [--minutes N] [--seed N]

Runs engine, api, dispatcher and PostgreSQL under a load of every kind of message, kills, stops and
cuts them at moments and in ways drawn from the seed, and compares at the end what the network was
answered with the journal, PostgreSQL and the windows. Exits 1 when they differ.

  --minutes N   how long (default 60)
  --seed N      repeats a run's faults (default: drawn, printed)
  --help        this text
`

await runCommand({
  help: HELP,
  run: async () => (await import('./run-soak.ts')).main(),
})
