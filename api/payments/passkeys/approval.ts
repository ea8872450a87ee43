// The holder's approval of a payment or mandate: terms are rebuilt from what is stored, the
// assertion is checked in one order, then the contract is asked where the chain answers.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import { type TokenUnits, unitsOfCents } from '../../../shared/token-units.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import { Refusal } from '../../http/refusal.ts'
import { partyOf } from '../../http/relying-party.ts'
import type { ChainConfig } from '../chain/chain-config.ts'
import { approvalSalt, NO_ADDRESS } from '../chain/holder-account.ts'
import { type Approval, type Assertion, approvalHash, assertionFor } from '../chain/terms.ts'
import { type SentAssertion, verifyAssertion } from './assertion.ts'

type Hex = `0x${string}`

/** The contract's own check of an assertion; null where no RPC answers. */
export interface ApprovalPort {
  isApproved(
    environment: Environment,
    approval: Approval,
    assertion: Assertion,
  ): Promise<boolean | null>
}

export interface ConfirmPorts extends ApprovalPort {
  /** The hosted page's address: a passkey is bound to its host. */
  publicUrl: string
}

/** The passkey and the recovery address of an account, as the approval names them. */
export interface HolderKey {
  credentialId: Buffer | null
  publicX: Buffer | null
  publicY: Buffer | null
  recoveryAddress: string | null
}

/** The origin of an assertion, kept with it. */
export interface AssertionSource {
  address: string | null
  userAgent: string | null
}

/** A checked assertion, as it is stored: also offline it can be verified again. */
export interface StoredAssertion {
  credential_id: string
  authenticator_data: string
  /** As the browser sent it, base64url. */
  client_data: string
  /** DER, base64url. */
  signature: string
  /** Whether the contract confirmed it; null where no RPC answered. */
  confirmed_by_chain: boolean | null
  address: string | null
  user_agent: string | null
}

/** Seconds of an approval after the end of what it approves: a held amount stays capturable. */
const APPROVAL_GRACE_S = 24 * 3600

/** The stored parts of an approval: its salt, its digest, and its end in Unix seconds. */
export interface ApprovalRecord {
  salt: Buffer
  hash: Buffer
  validUntil: number
}

/** The approval of a new payment or mandate. `endsAt`: its own end by the tenant's clock. */
export function newApproval(of: {
  id: string
  key: HolderKey
  payeeAddress: string
  chain: ChainConfig
  endsAt: EpochMs
  limitCents: number
}): ApprovalRecord {
  const validUntil = Math.floor(of.endsAt / 1000) + APPROVAL_GRACE_S
  const terms = approvalTerms({ ...of, validUntil })
  return { salt: bytes(terms.salt), hash: bytes(approvalHash(of.chain, terms)), validUntil }
}

/** Throws for an account without a passkey: only an active account pays. */
export function approvalTerms(of: {
  id: string
  key: HolderKey
  payeeAddress: string
  limitCents: number
  /** Unix seconds. */
  validUntil: number
}): Approval {
  const { publicX, publicY, recoveryAddress } = of.key
  if (publicX === null || publicY === null) throw new Error('an active account has a passkey')
  return {
    x: `0x${publicX.toString('hex')}`,
    y: `0x${publicY.toString('hex')}`,
    recovery: (recoveryAddress ?? NO_ADDRESS) as Hex,
    payee: of.payeeAddress as Hex,
    limit: unitsOfCents(of.limitCents) satisfies TokenUnits,
    validUntil: BigInt(of.validUntil),
    salt: approvalSalt(of.id),
  }
}

/** Refuses with 400 assertion_invalid and the check that failed. */
export async function checkApproval(
  of: { environment: Environment; key: HolderKey; terms: Approval; challenge: Buffer | null },
  input: { assertion: SentAssertion; source: AssertionSource; ports: ConfirmPorts },
): Promise<StoredAssertion> {
  const { ports } = input
  return checkChallenge(of, { ...input, publicUrl: ports.publicUrl }, (encoded) =>
    ports.isApproved(of.environment, of.terms, encoded),
  )
}

/**
 * Checks an assertion over a challenge, at last by the contract's own check. Refuses with 400
 * assertion_invalid and the check that failed.
 */
export async function checkChallenge(
  { key, challenge }: { key: HolderKey; challenge: Buffer | null },
  input: { assertion: SentAssertion; source: AssertionSource; publicUrl: string },
  isValidOnChain: (encoded: Assertion) => Promise<boolean | null>,
): Promise<StoredAssertion> {
  const { assertion, source, publicUrl } = input
  const { credentialId, publicX: x, publicY: y } = key
  assert(challenge !== null, 'an approval has its digest')
  assert(credentialId !== null && x !== null && y !== null, 'an active account has a passkey')
  const party = partyOf(publicUrl)
  const verified = verifyAssertion(assertion, { credentialId, x, y, challenge, party })
  if (!verified.ok) throw invalid(verified.error)
  const encoded = assertionFor(verified.value)
  const confirmed = encoded === null ? false : await isValidOnChain(encoded)
  if (confirmed === false) throw invalid('chain')
  return storedAssertion(assertion, { credentialId, source, confirmed })
}

/** A verified assertion with its origin. */
function storedAssertion(
  sent: SentAssertion,
  checked: { credentialId: Buffer; source: AssertionSource; confirmed: boolean | null },
): StoredAssertion {
  return {
    credential_id: checked.credentialId.toString('base64url'),
    authenticator_data: sent.authenticator_data,
    client_data: sent.client_data_json,
    signature: sent.signature,
    confirmed_by_chain: checked.confirmed,
    address: checked.source.address,
    user_agent: checked.source.userAgent,
  }
}

/** 400 with the check that failed. */
function invalid(reason: string): Refusal {
  return new Refusal('assertion_invalid', { extra: { reason } })
}

function bytes(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}
