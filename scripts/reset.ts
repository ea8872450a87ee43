// `npm run reset`: puts the sandbox tenant back to its first state.
import { runCommand } from '../shared/command-line.ts'

const HELP = `Puts the sandbox tenant back to its first state: deletes everything that was made in it, in the database and in the
engine, and makes programs, cards and the webhook endpoint anew, with new ids, numbers and secrets. One thing stays
moved: the clock of the sandbox stays as many days ahead as it is, because it never goes back.

  npm run reset -- [--yes] [--api URL] [--data-dir DIR]

  --yes            does not ask; else the name of the tenant has to be typed, and without a terminal nothing is done
  --api URL        where the API is (default: that of the running npm start, else SVC_API_HOST and SVC_API_PORT)
  --data-dir DIR   data directory of the service (default: SVC_DATA_DIR, else .data)
  --help           this text

  DATABASE_URL            the database; that of a running npm start when unset
  SVC_MASTER_KEY          instead of master.key in the data directory
  SVC_ENGINE_SOCKET       the engine's socket; engine.sock in the data directory when unset
  SVC_STRIPE_KEY_SANDBOX  as npm start reads it: with an account of your own, no plan is subscribed
  NODE_EXTRA_CA_CERTS     an authority (PEM file) that https:// addresses are checked with, beside the public ones

It calls POST /v1/sandbox/wipe, which the owner of the sandbox approves with password and code, then does what
npm run seed does; beside a running npm start it does what that does, and prints its lines to try anew, for the new
cards. Keys, people, account settings, the audit log and the clock of the sandbox stay as they are. A code of the
owner counts once: where the present one was used, the command waits for the next one, up to half a minute.
The engine keeps holds of deleted cards, which nothing can reach, until they expire.
`

await runCommand({
  help: HELP,
  run: async () => (await import('./reset/main.ts')).main(),
})
