// The settings of the sandbox's chain as an outside party.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex } from 'viem'
import type { Result } from '../../shared/result.ts'
import { readSettings } from '../../shared/settings.ts'

/** Directory of the chain below the data directory. */
export const CHAIN_DIRECTORY = 'chain'
/** The plan that `npm start` makes before it starts the peer. */
export const PLAN_FILE = 'plan.json'
/** The chain as SVC_CHAIN_SANDBOX describes it, written once the contracts stand. */
export const CHAIN_FILE = 'chain.json'

/** The owner of token and Settlement; in the sandbox alone. */
export const OWNER_FILE = 'owner.json'

export interface ChainPeerConfig {
  port: number
  /** The address of the wallet that sends batches. */
  sponsor: Hex
  directory: string
}

/** The configuration, or a sentence per problem. */
export function readChainPeerConfig(
  environment: { readonly [name: string]: string | undefined } = process.env,
): Result<ChainPeerConfig, readonly string[]> {
  const settings = readSettings(environment, ['SVC_DATA_DIR'])
  if (!settings.ok) return settings
  const directory = join(settings.value.SVC_DATA_DIR, CHAIN_DIRECTORY)
  try {
    const plan = JSON.parse(readFileSync(join(directory, PLAN_FILE), 'utf8'))
    const { port, sponsor } = plan as { port: number; sponsor: Hex }
    return { ok: true, value: { port, sponsor, directory } }
  } catch {
    return { ok: false, error: ['there is no plan of the chain: npm start makes it'] }
  }
}
