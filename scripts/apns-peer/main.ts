// The process of the sandbox's push service: `npm start` runs it beside the service, unless the settings name Apple's.
import { parseArgs } from 'node:util'
import { systemClock } from '../../shared/clock.ts'
import { createLog } from '../../shared/log.ts'
import { onceToldToStop, tellReady } from '../../shared/parent.ts'
import { readPushPeerConfig } from './config.ts'
import { startPushPeer } from './peer.ts'

const HELP = `The sandbox's push service for wallet passes; npm start runs it, unless SVC_APPLE_PUSH_URL names another.

  node scripts/apns-peer/main.ts [--help]

It listens where SVC_APPLE_PUSH_URL says, with the certificates in SVC_DATA_DIR/apple-wallet, and takes pushes as Apple's does:
HTTP/2, the certificate of a pass type, its topic. A device gets a token with POST /devices, waits for pushes with
GET /devices/<token> and wants no more after DELETE. Tokens that begin with 00410, 00400, 00429 and 00503 are gone, unknown,
pushed to too often and met by an outage.
`

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } })
  if (values.help) {
    process.stdout.write(HELP)
    return
  }
  const config = readPushPeerConfig()
  if (!config.ok) {
    process.stderr.write(config.error.join('\n') + '\n')
    process.exitCode = 1
    return
  }
  const { logLevel, ...options } = config.value
  const log = createLog({ name: 'apns-peer', level: logLevel })
  onceToldToStop(() => process.exit(0))
  try {
    const { url } = await startPushPeer({ ...options, clock: systemClock })
    log.info('listening on ' + url)
    tellReady()
  } catch (error) {
    log.fatal({ err: error }, 'cannot listen on 127.0.0.1:' + options.port)
    process.exit(1)
  }
}

await main()
