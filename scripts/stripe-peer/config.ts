// The settings of the sandbox's payment processor. Only this file of the process reads the
// environment.
import { join } from 'node:path'
import type { Result } from '../../shared/result.ts'
import { readSettings } from '../../shared/settings.ts'
import { apiAddress } from '../outside-parties/api-address.ts'

export interface StripePeerConfig {
  dataDir: string
  callbackUrl: string
  statePath: string
}

/** The configuration, or a sentence per problem. */
export function readStripePeerConfig(
  environment: { readonly [name: string]: string | undefined } = process.env,
): Result<StripePeerConfig, readonly string[]> {
  const settings = readSettings(environment, ['SVC_DATA_DIR', 'SVC_API_HOST', 'SVC_API_PORT'])
  if (!settings.ok) return settings
  const { SVC_DATA_DIR: dataDir, SVC_API_HOST: host, SVC_API_PORT: port } = settings.value
  return {
    ok: true,
    value: {
      dataDir,
      callbackUrl: apiAddress(host, port) + '/partners/stripe/callbacks/sandbox',
      statePath: join(dataDir, 'stripe-peer.jsonl'),
    },
  }
}
