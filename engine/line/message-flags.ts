// Flags of a transaction that a message sets by its own contents.
import type { MessageKind } from '../../shared/schemas/network-message.ts'
import { OF_PAYMENT_ACCOUNT, TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
import type { Judged } from '../rules/rule.ts'

const { billing_mismatch, components_exceed_amount } = TRANSACTION_FLAGS
/**
 * Chosen: reversals are missing here. A reversal may name the components of its original although
 * it takes back only a part of the amount.
 */
const WITH_COMPONENTS: ReadonlySet<MessageKind> = new Set<MessageKind>([
  'advice',
  'capture',
  'refund',
])

/**
 * TRANSACTION_FLAGS to set whatever the message makes of its transaction; 0 where nothing is
 * unusual. A payment has OF_PAYMENT_ACCOUNT.
 */
export function messageFlags({ billing, card, message }: Judged): number {
  if (card.card_type === 'account') return OF_PAYMENT_ACCOUNT
  const { cashbackCents, feeCents, amountCents, kind } = message
  const exceeds = cashbackCents + feeCents > amountCents && WITH_COMPONENTS.has(kind)
  const mismatch = billing?.isMismatch === true
  return (mismatch ? billing_mismatch : 0) | (exceeds ? components_exceed_amount : 0)
}
