// Apple's wallet in the sandbox: certificates and a push service of its own, unless the person
// names a certificate of Apple's. Live never has any of ours.
import { readFileSync } from 'node:fs'
import { ensureSandboxCertificates } from '../../api/passes/wallets/apple/sandbox-certificates.ts'
import type { EpochMs } from '../../shared/clock.ts'
import type { Environment, StartConfig } from './config.ts'
import type { StartedParty } from './outside-parties.ts'
import { loopbackPort } from './ports.ts'

export interface AppleParts {
  /** The push service among the outside parties, with its settings. */
  parties: readonly StartedParty[]
  /** The settings with which the API signs passes. */
  api: Environment
  /** How the dispatcher pushes. */
  dispatcher: Environment
  /**
   * For sandbox.json: where simulated devices hear of pushes; null where the push service is
   * Apple's.
   */
  push: PushAddress | null
  pushPort: number | null
}

export interface PushAddress {
  url: string
  /** The certificate of the authority that signed it: PEM. */
  authority: string
}

const NONE: AppleParts = { parties: [], api: {}, dispatcher: {}, push: null, pushPort: null }

/**
 * Each process gets only the settings it needs. The push service keeps its former port, if that is
 * free.
 */
export async function appleParts(
  config: StartConfig,
  now: EpochMs,
  formerPort: number | null,
): Promise<AppleParts> {
  if (config.environment === 'live' || config.ownAppleCertificate) return NONE
  const paths = ensureSandboxCertificates(config.dataDir, now)
  const port = await loopbackPort(formerPort)
  const url = 'https://127.0.0.1:' + port
  const api = {
    SVC_APPLE_PASS_CERT: paths.passCertificate,
    SVC_APPLE_PASS_KEY: paths.passKey,
    SVC_APPLE_PASS_AUTHORITY: paths.authority,
  }
  return {
    parties: [{ name: 'push', environment: { SVC_APPLE_PUSH_URL: url } }],
    api,
    dispatcher: {
      ...api,
      SVC_APPLE_PUSH_URL: url,
      SVC_APPLE_PUSH_AUTHORITY: paths.authority,
    },
    pushPort: port,
    push: { url, authority: readFileSync(paths.authority, 'utf8') },
  }
}
