// The process of the sandbox's identity provider: `npm start` runs it beside the service, and could
// run any other instead.
import { parseArgs } from 'node:util'
import { systemClock } from '../../shared/clock.ts'
import { createLog } from '../../shared/log.ts'
import { onceToldToStop, signalReady } from '../../shared/parent.ts'
import { readSandboxSecrets } from '../start/sandbox-secrets.ts'
import { readIdentityPeerConfig } from './config.ts'
import { startIdentityPeer } from './peer.ts'

const HELP = `The sandbox's identity provider; npm start runs it, unless SVC_IDENTITY_URL names another.

  node scripts/identity-peer/main.ts [--help]

It reads SVC_DATA_DIR/sandbox-secrets.json, listens on the port named there and sends its results in signed callbacks. It
approves everybody, except by these last names: Reject (rejected), Review (requires action), Late (after 15 seconds), Twice
(two callbacks), Backwards (callbacks in the wrong order), Lost (no callback; GET shows the result), Never (no result).
`

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } })
  if (values.help) {
    process.stdout.write(HELP)
    return
  }
  const config = readIdentityPeerConfig()
  if (!config.ok) {
    process.stderr.write(config.error.join('\n') + '\n')
    process.exitCode = 1
    return
  }
  const { dataDir, callbackUrl, logLevel } = config.value
  const log = createLog({ name: 'identity-peer', level: logLevel })
  const account = readSandboxSecrets(dataDir)?.identity_peer
  if (account === undefined) {
    log.fatal(dataDir + ' holds no identity provider yet: run npm start first')
    process.exitCode = 1
    return
  }
  onceToldToStop(() => process.exit(0))
  try {
    await startIdentityPeer({ ...account, callbackUrl, clock: systemClock, log })
    log.info('listening on http://127.0.0.1:' + account.port)
    signalReady()
  } catch (error) {
    log.fatal({ err: error }, 'cannot listen on 127.0.0.1:' + account.port)
    process.exit(1)
  }
}

await main()
