// The interface of identity providers, the same in live and in the sandbox. The adapters are in the
// files beside this one.
import type { Address } from '../../../shared/schemas/cardholder.ts'

/** The personal data that a provider needs. */
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
 * A result of the provider, in the order of `sequence`: the newest counts, and a final one comes
 * last.
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
  /** The provider's present result. Never throws. */
  look(verificationId: string): Promise<Finding | 'unknown' | 'unavailable'>
}
