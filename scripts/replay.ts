// `npm run replay`: makes the decisions of the journal again and compares them; with --limit, lists
// the decisions that another limit would change.
import { runCommand } from '../shared/command-line.ts'

const HELP = `Makes the decisions of the engine's journal again, from a snapshot and the versions of cards, programs and controls
that the decisions name, and compares every decision byte for byte. The engine may be running.

  npm run replay                       exits 1 if a decision differs
  npm run replay -- --limit ID=AMOUNT  assumes another amount of this limit: lists the decisions that change, and
                                       those that follow from them

  --limit ID=AMOUNT  minor units; may be given several times
  --json             one JSON document
  --data-dir DIR     data directory of the service (default: SVC_DATA_DIR, else .data)
  --help             this text

  DATABASE_URL       database of the versions (default: the database of a running npm start)
`

await runCommand({
  help: HELP,
  run: async () => (await import('./replay/main.ts')).main(),
})
