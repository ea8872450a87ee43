// Secrets of the config records, opened once per value and kept in memory only.
import { encodeId } from '../shared/id.ts'
import { type Derivation, deriveKeys, SEAL_CONTEXTS, type Unseal } from '../shared/keyring.ts'
import type { Logger } from '../shared/log.ts'
import { PAYMENTS_NETWORK } from '../shared/schemas/network-message.ts'
import type { EndpointConfig, NetworkKeyConfig } from '../shared/wire/config-records.ts'
import type { ConfigReader } from './config-cache/reader.ts'
import type { LineSecrets, NetworkKey } from './line/line.ts'

/** Most open endpoint secrets; beyond it the memory is cleared. */
const OPENED_MAX = 100_000

export interface SecretSource {
  configCache: ConfigReader
  unseal: Unseal
  log: Logger
}

/**
 * Returns the plain secrets of the config records. A value that does not open is logged and left
 * out: the authorization line is then not ready, refuses that network key, or signs the tenant's
 * request with the remaining secrets.
 */
export function openSecrets(source: SecretSource): LineSecrets {
  const opened = new Map<string, string | null>()
  let derivation: Derivation | null = null
  let derivedFrom = ''
  let networkConfig: readonly NetworkKeyConfig[] = []
  let networkKeys: readonly NetworkKey[] = []

  function open(context: string, sealed: string): string | null {
    const known = opened.get(sealed)
    if (known !== undefined) return known
    const bytes = unsealWith(source, context, sealed)
    const text = bytes === null ? null : bytes.toString('utf8')
    if (opened.size >= OPENED_MAX) opened.clear()
    opened.set(sealed, text)
    return text
  }

  return {
    derivation() {
      const root = source.configCache.root()
      if (root === null) return null
      if (root.sealed !== derivedFrom) {
        const bytes = unsealWith(source, SEAL_CONTEXTS.root, root.sealed)
        derivation = bytes === null ? null : deriveKeys(bytes, encodeId)
        derivedFrom = root.sealed
      }
      return derivation
    },
    networkKeys() {
      const configCache = source.configCache.networkKeys()
      if (configCache !== networkConfig) {
        networkConfig = configCache
        networkKeys = configCache.flatMap((configRecord) => {
          // No card network may speak for our own accounts.
          if (configRecord.network === PAYMENTS_NETWORK) return []
          const secret = open(SEAL_CONTEXTS.networkSecret, configRecord.sealed_secret)
          return secret === null
            ? []
            : [
                {
                  id: configRecord.id,
                  network: configRecord.network,
                  environment: configRecord.environment,
                  secret,
                },
              ]
        })
      }
      return networkKeys
    },
    endpointSecrets(endpoint: EndpointConfig) {
      const secrets: string[] = []
      for (const sealed of endpoint.sealed_secrets) {
        const secret = open(SEAL_CONTEXTS.webhookSecret, sealed)
        if (secret !== null) secrets.push(secret)
      }
      return secrets
    },
  }
}

function unsealWith(source: SecretSource, context: string, sealed: string): Buffer | null {
  const opened = source.unseal(context, sealed)
  if (opened.ok) return opened.value
  source.log.error({ context, problem: opened.error }, 'a sealed value does not open')
  return null
}
