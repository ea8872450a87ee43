// `npm run migrate`: brings the database of DATABASE_URL to this version.
import { runCommand } from '../shared/command-line.ts'

const RIGHTS = '--rights'

const HELP = `Usage: npm run migrate -- [--rights]

Brings the PostgreSQL database of DATABASE_URL to this version: applies the files of
api/database/migrations that it does not have yet, each in one transaction. Safe to repeat and
safe to run from several machines at once. Refuses a database whose history was edited.

  --rights       then gives each role of deploy/postgres/roles.sql that the server has its rows
                 (deploy/postgres/history.sql); DATABASE_URL names the owner, svc_migrate

  DATABASE_URL   postgres://user:password@host:port/database   (required)

npm start runs the migrations by itself.
`

await runCommand({
  help: HELP,
  flags: [RIGHTS],
  run: async () =>
    (await import('./migrate/main.ts')).main({ rights: process.argv.includes(RIGHTS) }),
})
