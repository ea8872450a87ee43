// `npm run migrate`: brings the database of DATABASE_URL to this version.
import { runCommand } from '../shared/command-line.ts'

const HELP = `Usage: npm run migrate

Brings the PostgreSQL database of DATABASE_URL to this version: applies the files of
api/database/migrations that it does not have yet, each in one transaction. Safe to repeat and
safe to run from several machines at once. Refuses a database whose history was edited.

  DATABASE_URL   postgres://user:password@host:port/database   (required)

npm start runs the migrations by itself.
`

await runCommand({
  help: HELP,
  flags: [],
  run: async () => (await import('./migrate/main.ts')).main(),
})
