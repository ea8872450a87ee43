// The process of the sandbox's Google wallet: `npm start` runs it beside the service, unless the settings name an account of
// Google's.
import { parseArgs } from 'node:util'
import { systemClock } from '../../shared/clock.ts'
import { createLog } from '../../shared/log.ts'
import { onceToldToStop, tellReady } from '../../shared/parent.ts'
import { readGooglePeerConfig } from './config.ts'
import { startGooglePeer } from './peer.ts'

const HELP = `The sandbox's Google wallet; npm start runs it, unless SVC_GOOGLE_WALLET_ACCOUNT names an account of Google's.

  node scripts/google-wallet-peer/main.ts [--help]

It listens where SVC_GOOGLE_WALLET_URL says and speaks as Google does: POST /token, /walletobjects/v1/genericClass and
genericObject, the page of save links at /gp/v/save/, the keys of its callbacks at /gp/m/issuer/keys. A holder saves with
POST /gp/v/save/<token>?holder=<name>, looks at the pass with GET /holders/<name>/<object> and deletes it with DELETE.
POST /gp/m/issuer/keys makes it sign with new keys.
`

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } })
  if (values.help) {
    process.stdout.write(HELP)
    return
  }
  const config = readGooglePeerConfig()
  if (!config.ok) {
    process.stderr.write(config.error.join('\n') + '\n')
    process.exitCode = 1
    return
  }
  const { logLevel, ...options } = config.value
  const log = createLog({ name: 'google-wallet-peer', level: logLevel })
  onceToldToStop(() => process.exit(0))
  try {
    const { url } = await startGooglePeer({ ...options, clock: systemClock, log, serviceUrl: null })
    log.info('listening on ' + url)
    tellReady()
  } catch (error) {
    log.fatal({ err: error }, 'cannot listen on 127.0.0.1:' + options.port)
    process.exit(1)
  }
}

await main()
