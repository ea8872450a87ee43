// The process of the sandbox's chain: `npm start` runs it beside the service, unless
// SVC_CHAIN_SANDBOX names another chain.
import { refuse, runCommand } from '../../shared/command-line.ts'
import { createLog } from '../../shared/log.ts'
import { onceToldToStop, signalReady } from '../../shared/parent.ts'
import { readChainPeerConfig } from './config.ts'

const HELP = `The sandbox's chain; npm start runs it, unless SVC_CHAIN_SANDBOX names another one.

  node scripts/chain-peer/main.ts [--help]

It runs anvil on loopback, deploys the token and Settlement at the first start, and mines a block a second while a
transaction is pending or not final.
`

/** The exit code; the process then lives as long as the node. */
async function main(): Promise<number> {
  const config = readChainPeerConfig()
  if (!config.ok) return refuse(config.error.join('\n'))
  const log = createLog({ name: 'chain-peer', level: config.value.logLevel })
  onceToldToStop(() => process.exit(0))
  const { startChainPeer } = await import('./peer.ts')
  try {
    const { url } = await startChainPeer(config.value, log)
    log.info({ url }, 'chain listens')
    signalReady()
    return 0
  } catch (error) {
    log.fatal({ err: error }, 'the chain cannot start')
    process.exit(1)
  }
}

await runCommand({ help: () => HELP, flags: [], run: main })
