// Who verifies identities, as we know them: whatever stands behind it, in live and in the sandbox.
// The adapters stand beside.
import type { Address } from '../../../shared/schemas/cardholder.ts'

/** What a provider needs to know of a person. */
export interface Person {
  first_name: string
  last_name: string
  date_of_birth: string
  address: Address
  email: string | null
  phone: string | null
}

/** A question about a person. Its id is ours and names the verification on both sides. */
export interface AuthorizationRequest {
  verificationId: string
  livemode: boolean
  person: Person
}

export const FINDING_STATUSES = ['processing', 'requires_action', 'approved', 'rejected'] as const

/**
 * What the provider found out, in the order of `sequence`: the newest counts, and what is final
 * comes last.
 */
export interface Finding {
  verificationId: string
  /** The provider's own id of this result: it may tell it many times. */
  eventId: string
  sequence: number
  status: (typeof FINDING_STATUSES)[number]
  reasons: readonly string[]
}

export interface IdentityProvider {
  /**
   * Asks. Asking again with the same id is the same question. Refused: this question will never be
   * accepted as it is. Unavailable: nobody knows whether it arrived; it may be asked again.
   */
  ask(request: AuthorizationRequest): Promise<'accepted' | 'refused' | 'unavailable'>
  /** What the provider knows by now. Never throws. */
  look(verificationId: string): Promise<Finding | 'unknown' | 'unavailable'>
}
