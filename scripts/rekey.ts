// `npm run rekey`: re-encrypts every secret and PAN in the database under a new master key. Safe to
// stop and to repeat.
import { runCommand } from '../shared/command-line.ts'

const HELP = `Usage: npm run rekey

Re-encrypts card numbers, secrets of webhooks, networks and people, idempotency keys, calls
that wait for a person's approval and the derivation root under the current master key. The service
may keep running. You may stop the command at any time; the next run continues where it stopped.

With SVC_MASTER_KEY set, its first key is the current one: put the new key first, keep the old one
behind it, restart the service with both, run this, then remove the old key.
With SVC_MASTER_KEY unset, a fresh key is put first in master.key in the data directory, unless an
earlier run is still to be finished. The old lines stay, because older copies of the database need
them.

  DATABASE_URL     database (default: the database of a running npm start)
  SVC_MASTER_KEY   master keys <id>:<base64 of 32 bytes>, current first, comma-separated
  SVC_DATA_DIR     directory of master.key (default .data)
`

await runCommand({
  help: HELP,
  flags: [],
  run: async () => (await import('./rekey/main.ts')).main(),
})
