// Signs a person in by a passkey, or has the person approve with it. Every failure has one answer.
//
// Chosen: five tries in five minutes, per passkey and per address, as for passwords. A passkey with
// a lower counter still counts: passkeys that a system copies have no common counter. The logs of
// the person's tenants tell of it, and a mail tells the person.
import { hash } from 'node:crypto'
import type { EpochMs } from '../../../shared/clock.ts'
import type { Unseal } from '../../../shared/keyring.ts'
import type { Sql } from '../../database/pool.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import type { RelyingParty } from '../../http/relying-party.ts'
import { type Evidence, evidenceOf } from '../../write/evidence.ts'
import {
  findIdentity,
  forgiveTry,
  type IdentityRow,
  type SignedIn,
  throttle,
} from '../identities/index.ts'
import { type MailWorld, tellPerson } from '../mails/index.ts'
import { auditPerson } from '../people/index.ts'
import { type SentAssertion, type VerifiedAssertion, verifyAssertion } from './assertion.ts'
import { type Ceremony, type CeremonyFor, openCeremony } from './ceremony.ts'
import { findPasskey, isTaken, type PasskeyRow, takeChallenge, takePasskey } from './store.ts'

export interface PasskeyClaim {
  sent: SentAssertion
  /** The sealed ceremony of the form. */
  sealed: string
  expected: CeremonyFor & {
    /** Only this person; absent: the passkey tells. */
    identityId?: string
    /** Fingerprint of the call that is approved, in hex. */
    fingerprint?: string
  }
  party: RelyingParty
  /** Whether the same form came before and acted: then the answer's repeat is no replay. */
  wasSent?: () => Promise<boolean>
  ip: string
  requestId: string
  now: EpochMs
}

export interface PasskeySignIn extends SignedIn {
  evidence: Evidence
}

/**
 * `late`: the page was open for too long. `unknown`: nobody has this passkey any more. `used`: the
 * form was sent before.
 */
export type PasskeyFailure = 'wrong' | 'throttled' | 'late' | 'unknown' | 'used'

/** Null for a form that no passkey filled. */
export function assertionIn(fieldOf: (name: string) => string): SentAssertion | null {
  const signature = fieldOf('signature')
  if (signature === '') return null
  return {
    credential_id: fieldOf('credential_id'),
    authenticator_data: fieldOf('authenticator_data'),
    client_data_json: fieldOf('client_data_json'),
    signature,
    user_handle: fieldOf('user_handle'),
  }
}

/** Returns the person, or the reason of the failure. The call has used up only a try. */
export async function signInByPasskey(
  services: { sql: Sql; unseal: Unseal; seal: MailWorld['seal'] },
  claim: PasskeyClaim,
): Promise<PasskeySignIn | PasskeyFailure> {
  const { sql } = services
  const { sent, expected, ip, now } = claim
  const account = 'passkey:' + hash('sha256', sent.credential_id)
  const subjects = await throttle(sql, { account, ip, now })
  if (subjects === null) return 'throttled'
  const ceremony = openCeremony(services, claim.sealed, { ...expected, now })
  if (ceremony === null) return 'late'
  const passkey = await findPasskey(sql, Buffer.from(sent.credential_id, 'base64url'))
  if (passkey === null) return 'unknown'
  const identity = await findIdentity(sql, passkey.identityId)
  const verified = await verifyAssertion(sent, { ...ceremony, ...claim, passkey })
  const meant = expected.identityId === undefined || expected.identityId === passkey.identityId
  if (verified === null || identity?.state !== 'active' || !meant) {
    await tx(sql, (inner) => note(inner, claim, { passkey, action: 'passkey refused' }))
    return 'wrong'
  }
  // The use of a repeat's answer fails; the caller answers as it did before.
  const isAnswered = await isTaken(sql, ceremony)
  if (isAnswered && (await claim.wasSent?.()) !== true) {
    await tx(sql, (inner) => note(inner, claim, { passkey, action: 'passkey replayed' }))
    return 'used'
  }
  if (!isAnswered && verified.counter < passkey.counter)
    await tellOfCounter(services, claim, { passkey, identity })
  return {
    identity,
    factor: 'passkey',
    evidence: evidence(claim, ceremony, passkey),
    async take(inner) {
      if (!(await takeChallenge(inner, ceremony))) return false
      if (!(await takePasskey(inner, used(passkey, verified, now)))) return false
      await forgiveTry(inner, { subjects, now })
      return true
    },
  }
}

function used({ id }: PasskeyRow, { counter, backedUp }: VerifiedAssertion, now: EpochMs) {
  return { id, counter, backedUp, now }
}

function evidence(
  { sent, expected }: PasskeyClaim,
  { nonce }: Ceremony,
  { publicKey }: PasskeyRow,
): Evidence {
  return evidenceOf({
    nonce: nonce.toString('base64url'),
    fingerprint: expected.fingerprint ?? '',
    credentialId: sent.credential_id,
    clientDataJson: sent.client_data_json,
    authenticatorData: sent.authenticator_data,
    signature: sent.signature,
    publicKey: publicKey.toString('base64url'),
  })
}

/** The passkey may be a copy that somebody else has. */
function tellOfCounter(
  { sql, seal }: { sql: Sql; seal: MailWorld['seal'] },
  claim: PasskeyClaim,
  { passkey, identity: { email, name } }: { passkey: PasskeyRow; identity: IdentityRow },
): Promise<void> {
  const { now, ip } = claim
  return tx(sql, async (inner) => {
    const address = ip === '' ? null : ip
    await tellPerson(inner, { seal, now }, { email, name, change: 'passkey_counter', address })
    await note(inner, claim, { passkey, action: 'passkey counter fell' })
  })
}

async function note(
  sql: TxSql,
  { requestId, ip, now }: PasskeyClaim,
  { passkey, action }: { passkey: PasskeyRow; action: string },
): Promise<void> {
  const { identityId, id: resourceId } = passkey
  const address = ip === '' ? null : ip
  await auditPerson(sql, { identityId, action, resourceId, requestId, address, now })
}
