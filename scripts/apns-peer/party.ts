// The sandbox's push service as an outside party; SVC_APPLE_PUSH_URL names Apple's instead.
import { systemClock } from '../../shared/clock.ts'
import type { Party } from '../outside-parties/party.ts'
import { readPushPeerConfig } from './config.ts'
import { startPushPeer } from './peer.ts'

const HELP = `push: the push service for wallet passes, at SVC_APPLE_PUSH_URL, with the certificates in SVC_DATA_DIR/apple-wallet. It
accepts pushes as Apple's service does: HTTP/2, the certificate of a pass type, its topic. A device gets a token with
POST /devices, waits for pushes with GET /devices/<token> and ends them with DELETE. Four prefixes of a token cause an error:
00410 (gone), 00400 (unknown), 00429 (too many pushes), 00503 (outage).
`

export const pushParty: Party = {
  help: HELP,
  configure() {
    const config = readPushPeerConfig()
    if (!config.ok) return config
    const { value } = config
    const start = () => startPushPeer({ ...value, clock: systemClock })
    return { ok: true, value: { port: value.port, start } }
  },
}
