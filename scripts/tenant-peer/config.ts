// The settings of the sandbox's tenant. Only this file of the party reads the environment.
import type { Result } from '../../shared/result.ts'
import { readSettings } from '../../shared/settings.ts'

/** The configuration, or a sentence per problem. */
export function readTenantPeerConfig(
  environment: { readonly [name: string]: string | undefined } = process.env,
): Result<{ dataDir: string }, readonly string[]> {
  const settings = readSettings(environment, ['SVC_DATA_DIR'])
  return settings.ok ? { ok: true, value: { dataDir: settings.value.SVC_DATA_DIR } } : settings
}
