// The settler's settings: read once, all problems reported together. No other module of this
// process reads the environment.

import { seal, unsealer } from '../../../shared/keyring.ts'
import { loadMasterKeys, rereadMasterKeys } from '../../../shared/master-key-file.ts'
import { misspeltSettings } from '../../../shared/misspelt-settings.ts'
import type { Result } from '../../../shared/result.ts'
import { readSettings } from '../../../shared/settings.ts'
import { type MetricsAddress, metricsAddress } from '../../http/metrics-port.ts'
import { SETTLER_SETTINGS } from '../../setting-names.ts'
import { type ChainConfig, readChainConfigs } from '../chain/chain-config.ts'
import type { WalletKeys } from './wallet.ts'

export interface SettlerConfig extends WalletKeys {
  databaseUrl: string
  /** Most connections of a pool; null: as many as it wants. */
  connectionsMax: number | null
  /** The configured chains, one or two. */
  chains: readonly ChainConfig[]
  /** The directory of the machine's engines, with their anchors of the system clock. */
  dataDir: string
  /** Port of health and metrics; null: closed. */
  metrics: MetricsAddress | null
  /** A sentence for each variable that looks like a setting and is none. */
  misspelt: readonly string[]
  logLevel: string
}

/** Returns the configuration, or a sentence per problem. */
export function readSettlerConfig(
  environment: { readonly [name: string]: string | undefined } = process.env,
): Result<Readonly<SettlerConfig>, readonly string[]> {
  const settings = readSettings(environment, SETTLER_SETTINGS)
  if (!settings.ok) return settings
  const { value } = settings
  const problems: string[] = []
  if (value.DATABASE_URL === null)
    problems.push('DATABASE_URL must be set: the settler needs the PostgreSQL of the installation')
  const chains = readChainConfigs(value, problems)
  const configured = Object.values(chains).filter((chain) => chain !== null)
  if (configured.length === 0 && problems.length === 0)
    problems.push('SVC_CHAIN_SANDBOX or SVC_CHAIN_LIVE must name a chain to settle on')
  if (chains.live !== null && value.SVC_ENVIRONMENT !== 'live')
    problems.push('SVC_CHAIN_LIVE needs SVC_ENVIRONMENT=live')
  const keySource = {
    dataDir: value.SVC_DATA_DIR,
    configured: value.SVC_MASTER_KEY,
    environment: value.SVC_ENVIRONMENT,
  }
  const keys = loadMasterKeys(keySource)
  if (!keys.ok) problems.push(keys.error)
  if (!keys.ok || value.DATABASE_URL === null || problems.length > 0)
    return { ok: false, error: problems }
  return {
    ok: true,
    value: Object.freeze({
      databaseUrl: value.DATABASE_URL,
      connectionsMax: value.SVC_DATABASE_CONNECTIONS,
      chains: configured,
      dataDir: value.SVC_DATA_DIR,
      metrics: metricsAddress(value.SVC_METRICS_HOST, value.SVC_SETTLER_PORT),
      seal: (context: string, plaintext: string) => {
        const current = rereadMasterKeys(keySource)
        return seal(current.ok ? current.value : keys.value, context, plaintext)
      },
      unseal: unsealer(keys.value, () => rereadMasterKeys(keySource)),
      misspelt: misspeltSettings(environment),
      logLevel: value.SVC_LOG_LEVEL,
    }),
  }
}
