// The sandbox's Google wallet as an outside party; an account of Google's replaces it.
import { systemClock } from '../../shared/clock.ts'
import type { ConfiguredParty, Party } from '../outside-parties/party.ts'
import { readGooglePeerConfig } from './config.ts'
import { startGooglePeer } from './peer.ts'

const HELP = `google-wallet: Google's wallet, at SVC_GOOGLE_WALLET_URL. It answers as Google does: POST /token,
/walletobjects/v1/genericClass and genericObject, the page of save links at /gp/v/save/, the keys of its callbacks at
/gp/m/issuer/keys. A holder saves a pass with POST /gp/v/save/<token>?holder=<name>, reads it with
GET /holders/<name>/<object> and removes it with DELETE. POST /gp/m/issuer/keys replaces its signing keys.
`

export const googleParty: Party = {
  help: HELP,
  configure() {
    const config = readGooglePeerConfig()
    if (!config.ok) return config
    const { value } = config
    const start: ConfiguredParty['start'] = (log) =>
      startGooglePeer({ ...value, clock: systemClock, log, serviceUrl: null })
    return { ok: true, value: { port: value.port, start } }
  },
}
