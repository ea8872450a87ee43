// The sandbox's identity provider as an outside party; SVC_IDENTITY_URL names another instead.
import { systemClock } from '../../shared/clock.ts'
import type { Result } from '../../shared/result.ts'
import type { ConfiguredParty, Party } from '../outside-parties/party.ts'
import { readSandboxSecrets } from '../start/sandbox-secrets.ts'
import { readIdentityPeerConfig } from './config.ts'
import { startIdentityPeer } from './peer.ts'

const HELP = `identity: the identity provider, unless SVC_IDENTITY_URL names another. It listens on the port in
SVC_DATA_DIR/sandbox-secrets.json and sends its results in signed callbacks. It approves everybody, except by these last names:
Reject (rejected), Review (requires action), Late (after 15 seconds), Twice (two callbacks), Backwards (callbacks in the wrong
order), Lost (no callback; GET shows the result), Never (no result).
`

export const identityParty: Party = { help: HELP, configure }

function configure(): Result<ConfiguredParty, readonly string[]> {
  const config = readIdentityPeerConfig()
  if (!config.ok) return config
  const { dataDir, callbackUrl } = config.value
  const account = readSandboxSecrets(dataDir)?.identity_peer
  if (account === undefined)
    return { ok: false, error: [dataDir + ' holds no identity provider yet: run npm start first'] }
  const { port } = account
  return {
    ok: true,
    value: {
      port,
      async start(log) {
        await startIdentityPeer({ ...account, callbackUrl, clock: systemClock, log })
        return { url: 'http://127.0.0.1:' + port }
      },
    },
  }
}
