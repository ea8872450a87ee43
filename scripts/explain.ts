// `npm run explain -- ID`: one card transaction, payment, mandate, withdrawal, settlement batch or
// invoice as a timeline.
import { runCommand } from '../shared/command-line.ts'

const HELP = `Explains one card transaction, from its first message to its last: config records and their versions, rules, tenant
call, journal entry, the effect of each later message, every event and the deliveries of its webhooks.

  npm run explain -- TRANSACTION_ID [OPTIONS]
  npm run explain -- latest         the newest transaction
  npm run explain -- pay_… or stb_… a payment or a settlement batch: the decision, the holder's approval checked again
                                    offline, every chain transaction, events and webhooks
  npm run explain -- man_… or wdr_… a mandate or a withdrawal: the holder's approval checked again, payments or transactions
  npm run explain -- inv_…          an invoice: each line with the days and corrections behind it, from the database

  --data-dir DIR   data directory of the running service (default: SVC_DATA_DIR, else .data); its journal is read there
  --api URL        where the API is (default: that of the running npm start, else SVC_API_HOST and SVC_API_PORT)
  --key KEY        a key of the tenant (default: SVC_API_KEY, else that of npm start or of npm run seed)
  --json           the transaction, its messages, events and deliveries as JSON
  --help           this text

  SVC_API_KEY      the same as --key, without standing in the list of processes
  DATABASE_URL     database of the deliveries; that of a running npm start when unset
  NODE_EXTRA_CA_CERTS  an authority (PEM file) that https:// addresses are checked with, beside the public ones

Parts that were started alone: npm run explain -- latest --api http://127.0.0.1:8080
`

await runCommand({
  help: HELP,
  run: async () => (await import('./explain/main.ts')).main(),
})
