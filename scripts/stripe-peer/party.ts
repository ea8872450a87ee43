// The sandbox's payment processor as an outside party; SVC_STRIPE_KEY_SANDBOX of an account at
// Stripe replaces it.
import { systemClock } from '../../shared/clock.ts'
import type { Result } from '../../shared/result.ts'
import type { ConfiguredParty, Party } from '../outside-parties/party.ts'
import { readSandboxSecrets } from '../start/sandbox-secrets.ts'
import { readStripePeerConfig } from './config.ts'
import { startStripePeer } from './peer.ts'

const HELP = `stripe: the payment processor, unless SVC_STRIPE_KEY_SANDBOX names an account at Stripe. It answers as Stripe does,
on the port in SVC_DATA_DIR/sandbox-secrets.json, and keeps its state in SVC_DATA_DIR/stripe-peer.jsonl. With its key:
POST /peer/clock {"advance_ms": n} moves its clock, POST /peer/faults {"kind": "cut_after", "on": "/pay"} orders a fault,
GET /peer/charges lists the money that moved. Cards: 4242424242424242 pays, 4000000000000341 is declined when it is charged,
4000002500003155 needs its holder.
`

export const stripeParty: Party = { help: HELP, configure }

function configure(): Result<ConfiguredParty, readonly string[]> {
  const config = readStripePeerConfig()
  if (!config.ok) return config
  const { dataDir, callbackUrl, statePath } = config.value
  const account = readSandboxSecrets(dataDir)?.stripe_peer
  if (account === undefined)
    return { ok: false, error: [dataDir + ' holds no payment processor yet: run npm start first'] }
  const { port, key, secret } = account
  return {
    ok: true,
    value: {
      port,
      start: (log) =>
        startStripePeer({
          ...{ port, key, secrets: [secret], callbackUrl, statePath },
          ...{ clock: systemClock, log },
        }),
    },
  }
}
