// The process of the sandbox's push service: `npm start` runs it beside the service, unless the
// settings name Apple's.
import { systemClock } from '../../shared/clock.ts'
import { runPeer } from '../peer-process.ts'
import { readPushPeerConfig } from './config.ts'
import { startPushPeer } from './peer.ts'

const HELP = `The sandbox's push service for wallet passes; npm start runs it, unless SVC_APPLE_PUSH_URL names another.

  node scripts/apns-peer/main.ts [--help]

It listens where SVC_APPLE_PUSH_URL says, with the certificates in SVC_DATA_DIR/apple-wallet, and takes pushes as Apple's does:
HTTP/2, the certificate of a pass type, its topic. A device gets a token with POST /devices, waits for pushes with
GET /devices/<token> and wants no more after DELETE. Tokens that begin with 00410, 00400, 00429 and 00503 are gone, unknown,
pushed to too often and met by an outage.
`

await runPeer({
  name: 'apns-peer',
  help: HELP,
  readConfig: readPushPeerConfig,
  start: (config) => startPushPeer({ ...config, clock: systemClock }),
})
