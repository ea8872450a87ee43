// `npm run restore`: verifies a copy of `npm run backup` and puts it back where nothing lives.
import { runCommand } from '../shared/command-line.ts'

const HELP = `Usage: npm run restore -- --from DIR [--keys-from DIR] [--check]

Verifies every file of a copy, then fills an empty database and an empty data directory with it. It
refuses a database that holds tables, a data directory that holds a journal, a copy that was changed
and a copy of a newer version.

  --from DIR       the copy that npm run backup made
  --keys-from DIR  reads the master keys from DIR/master.key instead of SVC_MASTER_KEY; without
                   SVC_MASTER_KEY the file is also put into the data directory
  --check          only verifies the hashes of the copy; needs neither database nor keys
  --help           this text

  DATABASE_URL     the empty database to fill
  SVC_DATA_DIR     the data directory to fill (default .data)
  SVC_MASTER_KEY   master keys that the copy was signed with
`

await runCommand({
  help: HELP,
  run: async () => (await import('./restore/main.ts')).main(),
})
