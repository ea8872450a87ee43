// The process of an outside party of the sandbox: help, settings, a log, and an end on request of
// the parent.
import { parseArgs } from 'node:util'
import { createLog, type Logger } from '../shared/log.ts'
import { onceToldToStop, signalReady } from '../shared/parent.ts'
import type { Result } from '../shared/result.ts'

export interface PeerProcess<Config> {
  name: string
  help: string
  /** The configuration, or a sentence per problem. */
  readConfig(): Result<Config, readonly string[]>
  /** Listens; rejects where the port is taken. */
  start(config: Config, log: Logger): Promise<{ url: string }>
}

/** Runs until the parent asks it to stop. */
export async function runPeer<Config extends { port: number; logLevel: string }>(
  peer: PeerProcess<Config>,
): Promise<void> {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } })
  if (values.help) {
    process.stdout.write(peer.help)
    return
  }
  const config = peer.readConfig()
  if (!config.ok) {
    process.stderr.write(config.error.join('\n') + '\n')
    process.exitCode = 1
    return
  }
  const log = createLog({ name: peer.name, level: config.value.logLevel })
  onceToldToStop(() => process.exit(0))
  try {
    const { url } = await peer.start(config.value, log)
    log.info('listening on ' + url)
    signalReady()
  } catch (error) {
    log.fatal({ err: error }, 'cannot listen on 127.0.0.1:' + config.value.port)
    process.exit(1)
  }
}
