// `npm run backup`: copies journal, database and, apart from them, the master keys of a service
// that runs.
import { runCommand } from '../shared/command-line.ts'

const HELP = `Usage: npm run backup -- --to DIR [--keys-to DIR]

Copies the database in one snapshot and the journal of each shard after it into a new directory. The service keeps
running. The directory appears under its name only when the copy is whole, checked and on disk.

  --to DIR         a new directory for the copy; it holds personal data and sealed secrets
  --keys-to DIR    also writes the master keys to DIR/master.key; keep them apart from the copy
  --help           this text

  DATABASE_URL     database (default: the database of a running npm start)
  SVC_DATA_DIR     data directory of the engine (default .data)
  SVC_MASTER_KEY   master keys (default: master.key in the data directory); they sign the copy

The copy does not hold files that settings name: certificates, sanctions lists, keys of wallets.
npm run restore puts a copy back; npm run restore -- --from DIR --check only verifies it.
`

await runCommand({
  help: HELP,
  run: async () => (await import('./backup/main.ts')).main(),
})
