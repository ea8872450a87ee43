// The process of the sandbox's push service: `npm start` runs it beside the service, unless the
// settings name Apple's.
import { systemClock } from '../../shared/clock.ts'
import { runPeer } from '../peer-process.ts'
import { readPushPeerConfig } from './config.ts'
import { startPushPeer } from './peer.ts'

const HELP = `The sandbox's push service for wallet passes; npm start runs it, unless SVC_APPLE_PUSH_URL names another.

  node scripts/apns-peer/main.ts [--help]

It listens at SVC_APPLE_PUSH_URL, with the certificates in SVC_DATA_DIR/apple-wallet, and accepts pushes as Apple's service does:
HTTP/2, the certificate of a pass type, its topic. A device gets a token with POST /devices, waits for pushes with
GET /devices/<token> and ends them with DELETE. Four prefixes of a token cause an error: 00410 (gone), 00400 (unknown),
00429 (too many pushes), 00503 (outage).
`

await runPeer({
  name: 'apns-peer',
  help: HELP,
  readConfig: readPushPeerConfig,
  start: (config) => startPushPeer({ ...config, clock: systemClock }),
})
