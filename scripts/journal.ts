// `npm run journal`: looks into the decision log on disk, without the lock, also beside a running
// engine. Only an operator's words write: accept-loss into the database, accept-clock into the data
// directory by way of the engine, accept-timeline into it.
import { runCommand } from '../shared/command-line.ts'

const HELP = `Inspects the engine's decision journal; the engine may be running.

  npm run journal -- stat     journal id, epoch, segments, spares, snapshots
  npm run journal -- tail     the latest entries, one line each
  npm run journal -- verify   checks every entry and snapshot; exits 1 when something is damaged

  npm run journal -- accept-loss JOURNAL
                              connects the database to the running engine's journal. The named
                              journal, to which it was connected, loses its undrained decisions.
                              The engine's refusal names it.

  npm run journal -- accept-clock DISAGREEMENT
                              lets the running engine decide by its system clock although the named
                              sources contradict it. The engine's refusal names them.

  npm run journal -- accept-timeline SYSTEM:TIMELINE
                              lets a database of an earlier timeline attach to the engines of this
                              machine: it was put back to an earlier state on purpose. The engine's
                              refusal names it.

  --count N        entries of tail (default 20)
  --json           tail prints one JSON object per line
  --data-dir DIR   data directory of the service (default: SVC_DATA_DIR, else .data)
  --help           this text
`

await runCommand({
  help: HELP,
  run: async () => (await import('./journal/main.ts')).main(),
})
