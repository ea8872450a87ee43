// The sandbox's tenant as an outside party.
import type { Party } from '../outside-parties/party.ts'
import { readSandboxSecrets } from '../start/sandbox-secrets.ts'
import { readTenantPeerConfig } from './config.ts'
import { startTenantPeer } from './peer.ts'

const HELP = `tenant: a tenant on the port in SVC_DATA_DIR/sandbox-secrets.json; it verifies Svc-Signature with the secret there. It
approves authorization requests, except amounts that end in 51 (declined, insufficient_funds), in 59 (declined,
suspected_fraud) and in 99 (no answer at all). Every other event is answered with 200.
`

export const tenantParty: Party = {
  help: HELP,
  configure() {
    const config = readTenantPeerConfig()
    if (!config.ok) return config
    const { dataDir } = config.value
    const port = readSandboxSecrets(dataDir)?.demo_tenant.port
    if (port === undefined)
      return { ok: false, error: [dataDir + ' holds no sandbox yet: run npm start first'] }
    return { ok: true, value: { port, start: (log) => startTenantPeer({ port, dataDir, log }) } }
  },
}
