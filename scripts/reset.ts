// `npm run reset`: puts the sandbox tenant back to its first state.
import { runCommand } from '../shared/command-line.ts'

const HELP = `Puts the sandbox tenant back to its first state: deletes everything that was made in it, in the database and in the
engine, and makes programs, cards and the webhook endpoint anew, with new ids, numbers and secrets.

  npm run reset -- [--yes] [--api URL] [--data-dir DIR]

  --yes            does not ask; else the name of the tenant has to be typed, and without a terminal nothing is done
  --api URL        where the API is (default: that of the running npm start, else SVC_API_HOST and SVC_API_PORT)
  --data-dir DIR   data directory of the service (default: SVC_DATA_DIR, else .data)
  --help           this text

  DATABASE_URL         the database; that of a running npm start when unset
  SVC_MASTER_KEY       instead of master.key in the data directory
  SVC_ENGINE_SOCKET    the engine's socket; engine.sock in the data directory when unset
  NODE_EXTRA_CA_CERTS  an authority (PEM file) that https:// addresses are checked with, beside the public ones

It calls POST /v1/sandbox/wipe, which the owner of the sandbox approves with password and code, then does what
npm run seed does. Keys, people, account settings, the audit log and the clock of the sandbox stay as they are.
The engine keeps holds of deleted cards, which nothing can reach, until they expire.
`

await runCommand({
  help: HELP,
  run: async () => (await import('./reset/main.ts')).main(),
})
