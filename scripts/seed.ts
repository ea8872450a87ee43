// Fills the sandbox for operators who run the parts one by one: keys, tenant and owner go into the
// database of DATABASE_URL, everything else is made through the API.
import { runCommand } from '../shared/command-line.ts'

const HELP = `Fills the sandbox of an installation whose parts run one by one; npm start does it by itself.

  npm run seed -- [--api URL] [--bootstrap] [--help]

Writes the rows into the database that no API call can make: the root of all keys, the network's key, an operator,
and the sandbox tenant with its keys and its owner. The command then acts as that tenant and makes programs, cards
and the webhook endpoint through the API, so the API must run, with its engine. Existing rows are left as they are:
run it as often as you like. Keys, secrets and card numbers are kept in SVC_DATA_DIR/sandbox-secrets.json (mode 0600).

  --api URL        address of the API (default: SVC_API_HOST and SVC_API_PORT; with SVC_API_TLS_CERT by https, at
                   SVC_PUBLIC_URL if that is set, because the certificate has to name the address)
  --bootstrap      only the rows in the database; run the migrations before. An engine without these rows decides
                   nothing

  DATABASE_URL             the database (required), with sslmode and sslrootcert as for the api
  SVC_DATA_DIR             directory of the secrets and the master key
  SVC_MASTER_KEY           instead of the generated master.key
  SVC_ENGINE_SOCKET        the engine's socket; engine.sock in the data directory when unset
  NODE_EXTRA_CA_CERTS      an authority (PEM file) for the certificates of https:// addresses, beside the public ones
  SVC_WEBHOOK_ALLOW_CIDRS  setting of the API: must allow 127.0.0.0/8 for the demo tenant's endpoint
`

await runCommand({
  help: HELP,
  run: async () => (await import('./seed/main.ts')).main(),
})
