// The settings of the sandbox's identity provider. The only place of this process that sees the
// environment.
import type { Result } from '../../shared/result.ts'
import { readSettings } from '../../shared/settings.ts'
import { apiAddress } from '../outside-parties/api-address.ts'

export interface IdentityPeerConfig {
  dataDir: string
  callbackUrl: string
}

/** The configuration, or a sentence per problem. */
export function readIdentityPeerConfig(
  environment: { readonly [name: string]: string | undefined } = process.env,
): Result<IdentityPeerConfig, readonly string[]> {
  const settings = readSettings(environment, ['SVC_DATA_DIR', 'SVC_API_HOST', 'SVC_API_PORT'])
  if (!settings.ok) return settings
  const { value } = settings
  return {
    ok: true,
    value: {
      dataDir: value.SVC_DATA_DIR,
      callbackUrl:
        apiAddress(value.SVC_API_HOST, value.SVC_API_PORT) + '/partners/identity/callbacks',
    },
  }
}
