// Forms that ask the browser for a passkey, and the script that fills them.
import { Html } from '../../../shared/html.ts'
import type { RelyingParty } from '../relying-party.ts'

export { PASSKEY_SCRIPT } from './assets.ts'

/** The place where the script tells a problem; it takes the focus then. */
export const PASSKEY_PROBLEM = new Html(
  '<p class="problem" id="passkey-problem" role="alert" tabindex="-1" hidden></p>',
)

/** COSE algorithms: EdDSA, ES256, RS256. */
export const COSE = { eddsa: -8, es256: -7, rs256: -257 } as const

/**
 * The options of `navigator.credentials.get` as JSON, for `data-get`. No credential ids: the person
 * chooses among all passkeys of this host.
 */
export function getOptions(
  party: RelyingParty,
  { challenge, credentialIds = [] }: { challenge: Uint8Array; credentialIds?: readonly Buffer[] },
): string {
  return JSON.stringify({
    challenge: Buffer.from(challenge).toString('base64url'),
    rpId: party.id,
    allowCredentials: credentialIds.map(descriptor),
    userVerification: 'required',
  })
}

export interface CreateOptions {
  challenge: Uint8Array
  rpName: string
  user: { id: Uint8Array; name: string; displayName: string }
  algorithms: readonly number[]
  /** `required`: the passkey names its person by itself. */
  residentKey: 'required' | 'preferred'
  /** Credentials that the device must not have already. */
  excluded?: readonly Buffer[]
}

/** The options of `navigator.credentials.create` as JSON, for `data-create`. */
export function createOptions(party: RelyingParty, options: CreateOptions): string {
  const { challenge, rpName, user, algorithms, residentKey, excluded = [] } = options
  return JSON.stringify({
    challenge: Buffer.from(challenge).toString('base64url'),
    rp: { id: party.id, name: rpName },
    user: { ...user, id: Buffer.from(user.id).toString('base64url') },
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    excludeCredentials: excluded.map(descriptor),
    authenticatorSelection: {
      residentKey,
      requireResidentKey: residentKey === 'required',
      userVerification: 'required',
    },
    attestation: 'none',
  })
}

function descriptor(id: Buffer): { type: 'public-key'; id: string } {
  return { type: 'public-key', id: id.toString('base64url') }
}
