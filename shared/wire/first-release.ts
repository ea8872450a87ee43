// Entries of the first release, which knew authorizations only, in the words of today.
import { noSums, TRANSACTION_FLAGS } from '../transaction-sums.ts'
import type { DecisionEntry } from './journal-entry.ts'
import { PLAIN_MESSAGE } from './plain-message.ts'
import { earlierLink } from './transaction-link.ts'

/** Fields a message had in the first release, which knew authorizations only. */
export const FIRST_MESSAGE_FIELDS = 14

/**
 * Returns an entry of the first release with the meaning of its authorization in today's fields.
 */
export function completed(entry: DecisionEntry): DecisionEntry {
  const { message, decision, card } = entry
  const approved = decision.approvedAmountCents
  return {
    ...entry,
    pin: 'not_checked',
    threeDs: 'none',
    walletToken: null,
    cardAmountCents: message.amountCents,
    fx: null,
    judgedSeq: 0,
    judgedOrder: 0,
    message: {
      ...message,
      ...PLAIN_MESSAGE,
      originalNetworkTransactionId: message.networkTransactionId,
    },
    decision: {
      ...decision,
      holdCents: approved,
      availableCents: null,
      standInCap: null,
      standInWould: null,
      breaker: null,
      shadow: [],
      marks: [],
      wouldStop: [],
      standInPolicyVersion: null,
    },
    effect:
      card === null
        ? null
        : {
            link: linkOf(entry, card.tenantId),
            sequence: 1,
            event: decision.approved ? 'authorized' : 'declined',
            amountCents: approved,
            sums: { ...noSums(), authorized: approved },
            flags: decision.approved ? 0 : TRANSACTION_FLAGS.declined,
            holdExpiresAtMs: decision.approved ? entry.receivedAtMs + FIRST_HOLD_MS : 0,
            early: null,
          },
  }
}

function linkOf({ environment, message }: DecisionEntry, tenantId: string): Buffer {
  return earlierLink(environment, message.network, tenantId, message.networkTransactionId)
}

/** The first release let every hold stand for 31 days. */
const FIRST_HOLD_MS = 31 * 24 * 3_600_000
