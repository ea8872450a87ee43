// `npm run receive`: a webhook receiver to try deliveries with.
import { runCommand } from '../shared/command-line.ts'

const HELP = `A webhook receiver for trials: prints each delivery and whether its signature verifies. Listens on 127.0.0.1 only.

  npm run receive -- --secret whsec_… --port N

  --secret TEXT    a signing secret of the endpoint; give both during a rotation
  --port N         port to listen on (any free port)
  --fail N         answers the first N requests with 500 (0)
  --hang           never answers
  --delay MS       delay of each answer (0)
  --decline TEXT   declines questions about authorizations with this reason, such as insufficient_funds
  --tolerance S    largest age of a signature in seconds, 600 at most (300)
  --help           this text

A request that does not verify gets 400 and the reason: malformed_header, invalid_signature,
timestamp_out_of_tolerance or body_not_json. Every other request gets 200; a question about an authorization
(card.transaction.authorization_request) gets a yes. Ctrl-C ends the receiver.
`

await runCommand({
  help: HELP,
  run: async () => (await import('./receive/main.ts')).main(),
})
