// The sandbox's chain as an outside party; a chain of the settings replaces it.
import type { ConfiguredParty, Party } from '../outside-parties/party.ts'
import { readChainPeerConfig } from './config.ts'
import { startChainPeer } from './peer.ts'

const HELP = `chain: the chain, unless SVC_CHAIN_SANDBOX names another one. It runs anvil on loopback, deploys the token and Settlement
at the first start, and mines a block a second while a transaction is pending or not final.
`

export const chainParty: Party = {
  help: HELP,
  configure() {
    const config = readChainPeerConfig()
    if (!config.ok) return config
    const { value } = config
    const start: ConfiguredParty['start'] = (log) => startChainPeer(value, log)
    return { ok: true, value: { port: value.port, start } }
  },
}
