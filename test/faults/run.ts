// `npm run faults`: runs the table of faults, one row after the other, and prints injections and
// findings.
import { runCommand } from '../../shared/command-line.ts'
import { LONG } from './fault.ts'

const HELP = `Usage: npm run faults -- [--list] [--only 7,8] [--short]
                     [--kills N] [--seconds N] [--down-seconds N] [--records N]

Injects every fault of the table into real processes under load and compares what the network was
answered with the journal, PostgreSQL and the windows. Exits 1 when anything was found.

  --list           the rows: number, what must hold, fault
  --only ROWS      only these rows
  --short          as the tests do it: seconds instead of minutes
  --kills N        kills of the engine (default ${LONG.kills}); PostgreSQL is killed half as often
  --seconds N      seconds of load per phase (default ${LONG.seconds})
  --down-seconds N seconds that PostgreSQL is away (default ${LONG.downSeconds})
  --records N      journal entries that wait to be drained (default ${LONG.records})
  --help           this text
`

await runCommand({
  help: HELP,
  run: async () => {
    // Harness files import tap, which ends a process after 30 s.
    process.env['TAP_TIMEOUT'] ??= String(86_400)
    return (await import('./run-faults.ts')).main()
  },
})
