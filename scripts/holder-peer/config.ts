// The settings of the sandbox's holder. Only this file of the party reads the environment.
import type { Result } from '../../shared/result.ts'
import { readSettings } from '../../shared/settings.ts'

export interface HolderPeerConfig {
  dataDir: string
  port: number
}

/** Returns the configuration, or a sentence per problem. */
export function readHolderPeerConfig(
  environment: { readonly [name: string]: string | undefined } = process.env,
): Result<HolderPeerConfig, readonly string[]> {
  const settings = readSettings(environment, ['SVC_DATA_DIR', 'SVC_HOLDER_URL'])
  if (!settings.ok) return settings
  const { SVC_DATA_DIR: dataDir, SVC_HOLDER_URL: url } = settings.value
  const { hostname, port } = new URL(url ?? 'http://none')
  if (hostname !== '127.0.0.1' || port === '')
    return { ok: false, error: ['SVC_HOLDER_URL must say a port of 127.0.0.1: it listens there'] }
  return { ok: true, value: { dataDir, port: Number(port) } }
}
