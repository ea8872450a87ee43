// The legal moves of a quote. Spec 6.2 names the events of the request and of the provisioning; the
// subscription records the latter.
import type { QuoteStatus } from '../../../shared/schemas/billing-quote.ts'
import type { Move } from '../../write/move.ts'

export const QUOTE_MOVES = {
  /** An offer replaces an offer that was not accepted, also one that ran out. */
  offer: { from: ['requested', 'offered', 'expired'], to: 'offered', event: null },
  decline: { from: ['requested', 'offered'], to: 'declined', event: null },
  withdraw: { from: ['requested', 'offered'], to: 'withdrawn', event: null },
  accept: { from: ['offered'], to: 'accepted', event: null },
  provision: { from: ['accepted'], to: 'provisioned', event: null },
} as const satisfies Record<string, Move<QuoteStatus>>
