// The identity provider of the sandbox: one of its own, unless the person names another. Live never
// has one of ours.
import type { Environment, StartConfig } from './config.ts'
import type { StartedParty } from './outside-parties.ts'
import type { SandboxSecrets } from './sandbox-secrets.ts'

export interface IdentityParts {
  /** The provider among the outside parties, with its settings. */
  parties: readonly StartedParty[]
  /** How the API knows its callbacks. */
  api: Environment
  /** How the dispatcher reaches it. */
  dispatcher: Environment
}

/** Each process gets only the settings it needs. */
export function identityParts(
  { environment, identityUrl }: StartConfig,
  { identity_peer: account }: SandboxSecrets,
): IdentityParts {
  if (environment === 'live' || identityUrl !== null || account === undefined)
    return { parties: [], api: {}, dispatcher: {} }
  return {
    parties: [{ name: 'identity', environment: {} }],
    api: { SVC_IDENTITY_SECRET: account.secret },
    dispatcher: {
      SVC_IDENTITY_URL: 'http://127.0.0.1:' + account.port,
      SVC_IDENTITY_KEY: account.key,
    },
  }
}
