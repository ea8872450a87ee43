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

/** A request about a person. Its id is ours and names the verification on both sides. */
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
  /** The provider's own id of this result: it may send it many times. */
  eventId: string
  sequence: number
  status: (typeof FINDING_STATUSES)[number]
  reasons: readonly string[]
}

export interface IdentityProvider {
  /**
   * Sends a request. The same id again is the same request. Refused: the provider will never accept
   * this request. Unavailable: it is unknown whether it arrived; the caller may repeat it.
   */
  ask(request: AuthorizationRequest): Promise<'accepted' | 'refused' | 'unavailable'>
  /** The provider's present result. Never throws. */
  look(verificationId: string): Promise<Finding | 'unknown' | 'unavailable'>
}
