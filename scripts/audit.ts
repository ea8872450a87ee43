// `npm run audit -- verify`: recomputes the chain of every audit log, and names the first altered
// row.
import { runCommand } from '../shared/command-line.ts'

const HELP = `Checks the audit logs. Every row contains the hash of the row before it, which reveals a row that was
changed, removed, moved or cut off at the end. Reads only; the service may keep running.

  npm run audit -- verify [--tenant ID] [--anchors FILE]

  --tenant ID    the logs of one tenant; 'installation' for the actions of operators (default: all)
  --anchors FILE compares with lines that SVC_AUDIT_ANCHORS kept, or that its URL was sent; repeatable
                 (default: the file of SVC_AUDIT_ANCHORS)
  --help         this text

  DATABASE_URL   database (default: the database of a running npm start)
  SVC_DATA_DIR   its data directory (default .data)

Each line ends with the hash of the newest row. SVC_AUDIT_ANCHORS keeps these hashes outside of
PostgreSQL: they prove that no earlier row was changed, even by a person who could rewrite a whole
log.
`

await runCommand({
  help: HELP,
  run: async () => (await import('./audit/main.ts')).main(),
})
