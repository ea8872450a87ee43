// The chain of the sandbox: a node of its own with the contracts, unless the person names another
// chain. Live never has one of ours.
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from '../../api/database/pool.ts'
import { ensureWallet } from '../../api/payments/settler/wallet.ts'
import { type MasterKeys, seal } from '../../shared/keyring.ts'
import { hasAnvil } from '../chain-peer/anvil.ts'
import { CHAIN_DIRECTORY, CHAIN_FILE, PLAN_FILE } from '../chain-peer/config.ts'
import type { Environment, StartConfig } from './config.ts'
import type { StartedParty } from './outside-parties.ts'
import { loopbackPort } from './ports.ts'
import type { ProcessName } from './processes.ts'
import { writePrivateFile } from './sandbox-secrets.ts'

export const SANDBOX_CHAIN_ID = 31_337

export interface ChainParts {
  /** The settler, where there is a chain. */
  processes: readonly [ProcessName, Environment][]
  /** The settings of the API. */
  api: Environment
  /**
   * The node and the simulated holder among the outside parties; none beside another chain. Both
   * must be ready before the node's users read its description.
   */
  parties: readonly StartedParty[]
  /** Ports that the next start uses again. */
  ports: { chain_port?: number; settler_port?: number; holder_port?: number }
  /** For sandbox.json; null where payments are closed. */
  settlerUrl: string | null
  /** Directory of the sandbox's own chain; null where the chain is none of ours. */
  directory: string | null
  /** A sentence for the person; null where there is nothing to say. */
  note: string | null
}

const NONE: ChainParts = {
  ...{ processes: [], parties: [], api: {}, ports: {} },
  ...{ settlerUrl: null, directory: null, note: null },
}

/**
 * The chain keeps its former port, if that is free; its wallet is made with the first start.
 * `hasNode`: npm brought the node's binary along.
 */
export async function chainParts(
  config: Pick<StartConfig, 'environment' | 'ownChain' | 'dataDir'>,
  { sql, masterKeys, hasNode = hasAnvil }: { sql: Sql; masterKeys: MasterKeys; hasNode?: boolean },
  ports: { chain: number | null; settler: number; holder: number | null },
): Promise<ChainParts> {
  const settler = { SVC_SETTLER_PORT: String(ports.settler) }
  const settlerUrl = 'http://127.0.0.1:' + ports.settler
  if (config.environment === 'live' || config.ownChain)
    return config.ownChain ? { ...NONE, processes: [['settler', settler]], settlerUrl } : NONE
  if (!hasNode) return { ...NONE, note: 'payments are closed: npm has anvil for Linux x64 only' }
  const port = await loopbackPort(ports.chain)
  const wallet = await ensureWallet(
    sql,
    { chainId: SANDBOX_CHAIN_ID, signer: { kind: 'local' } },
    { seal: (context, plaintext) => seal(masterKeys, context, plaintext) },
  )
  const directory = join(config.dataDir, CHAIN_DIRECTORY)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const plan = { port, sponsor: wallet.address }
  writePrivateFile(join(directory, PLAN_FILE), JSON.stringify(plan) + '\n')
  const chain = { SVC_CHAIN_SANDBOX: join(directory, CHAIN_FILE) }
  const holderPort = await loopbackPort(ports.holder)
  const holder = { SVC_HOLDER_URL: 'http://127.0.0.1:' + holderPort }
  return {
    processes: [['settler', { ...settler, ...chain }]],
    parties: [
      { name: 'chain', environment: {} },
      { name: 'holder', environment: holder },
    ],
    api: { ...chain, ...holder },
    ports: { chain_port: port, settler_port: ports.settler, holder_port: holderPort },
    settlerUrl,
    directory,
    note: lostHistory(directory, wallet.nextNonce),
  }
}

/** A chain that is made anew does not know the payments of the database. */
function lostHistory(directory: string, nextNonce: number): string | null {
  if (nextNonce === 0 || existsSync(join(directory, CHAIN_FILE))) return null
  return (
    'the chain of this database is gone: its payments cannot settle any more. Restore ' +
    directory +
    ', or delete the data directory'
  )
}
