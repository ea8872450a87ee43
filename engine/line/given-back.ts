// What a reversal gives back, in the card's currency: at the rate the transaction was authorized at, whatever rates are today, so
// that giving everything back leaves nothing held.
import type { MessageRecord } from '../../shared/wire/journal-entry.ts'
import { approvedOf, promised } from '../lifecycle/change.ts'
import type { Standing } from '../state/transactions.ts'

/** Minor units of the card's currency; null where the transaction was not authorized in the message's currency. */
export function givenBackCents(message: MessageRecord, standing: Standing | null): number | null {
  const asked = standing?.asked ?? null
  if (message.kind !== 'reversal' || standing === null || asked === null) return null
  if (asked.currency !== message.currency) return null
  if (message.amountCents >= asked.cents) return Math.max(0, promised(standing.sums))
  const part = BigInt(message.amountCents) * BigInt(approvedOf(standing))
  return Number((part + BigInt(asked.cents) / 2n) / BigInt(asked.cents))
}
