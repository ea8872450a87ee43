// npm run simulate: the card network simulator against a running service. Parses, runs, prints, and
// exits non-zero when an answer was not as expected. Everything it does is in simulate/.
import { runCommand } from '../shared/command-line.ts'

const HELP = `The card network simulator: sends signed messages to a running service and checks every answer.

  npm run simulate -- --list                      the scenarios by number, and every story by name
  npm run simulate -- --scenario NAME             play one, by name or by number; repeat the option, or say "all"
  npm run simulate -- --rate N [--seconds S]      open-loop load of N messages a second

Options
  --seconds S       how long the load lasts (10)
  --connections C   connections of the load (64, over ISO 8583 8)
  --protocol P      protocol of the load: "http", or "iso" for ISO 8583 over TCP (http)
  --realtime R      share of the load on cards whose tenant is asked, 0 to 1 (0)
  --json            one JSON document on stdout and nothing else; use it with "npm run --silent"
  --help            this text

Where the service is: a running npm start is found by its data directory. Parts that were started alone are found where
their settings say, with the cards and secrets that "npm run seed" wrote into the data directory.
  --data-dir DIR    the data directory (SVC_DATA_DIR, else .data)
  --api URL         the API (SVC_API_HOST and SVC_API_PORT)
  --engine URL      the engine's network port (SVC_ENGINE_HOST and SVC_ENGINE_PORT)
  --iso HOST:PORT   its ISO 8583 port; without one, stories over ISO 8583 fail
  --key KEY         the tenant's key with permission to write (SVC_API_KEY)
  --network-key ID, --network-secret SECRET
                    the key that signs messages (SVC_NETWORK_KEY, SVC_NETWORK_SECRET); its owner only may see
                    secrets in the environment, but everybody in the list of processes
  NODE_EXTRA_CA_CERTS  an authority (PEM file) that https:// addresses are checked with, beside the public ones

Latency counts from the intended send time of a message, so a stall counts for every message it delayed.
Exit codes: 0 every answer as expected; 1 a mismatch; 2 nothing could be sent; 130 interrupted.
`

await runCommand({
  help: HELP,
  run: async () => (await import('./simulate/main.ts')).main(),
})
