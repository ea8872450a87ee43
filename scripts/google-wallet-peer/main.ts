// The process of the sandbox's Google wallet: `npm start` runs it beside the service, unless the
// settings name an account of Google's.
import { systemClock } from '../../shared/clock.ts'
import { runPeer } from '../peer-process.ts'
import { readGooglePeerConfig } from './config.ts'
import { startGooglePeer } from './peer.ts'

const HELP = `The sandbox's Google wallet; npm start runs it, unless SVC_GOOGLE_WALLET_ACCOUNT names an account of Google's.

  node scripts/google-wallet-peer/main.ts [--help]

It listens at SVC_GOOGLE_WALLET_URL and answers as Google does: POST /token, /walletobjects/v1/genericClass and
genericObject, the page of save links at /gp/v/save/, the keys of its callbacks at /gp/m/issuer/keys. A holder saves a pass with
POST /gp/v/save/<token>?holder=<name>, reads it with GET /holders/<name>/<object> and removes it with DELETE.
POST /gp/m/issuer/keys replaces its signing keys.
`

await runPeer({
  name: 'google-wallet-peer',
  help: HELP,
  readConfig: readGooglePeerConfig,
  start: (config, log) => startGooglePeer({ ...config, clock: systemClock, log, serviceUrl: null }),
})
