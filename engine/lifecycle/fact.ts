// The notifications of a network, one function per kind: the engine records every notification,
// whatever it says.
import type { FactKind } from '../../shared/schemas/network-message.ts'
import { type MessageRecord, namesOriginal } from '../../shared/wire/journal-entry.ts'
import { advise } from './advice.ts'
import { capture } from './capture.ts'
import { captureReversal } from './capture-reversal.ts'
import type { Change, Standing } from './change.ts'
import { refund } from './refund.ts'
import { refundReversal } from './refund-reversal.ts'
import { reverse } from './reverse.ts'

export interface Fact {
  message: MessageRecord
  /** Amount in the card's currency. */
  amountCents: number
  /** End of a hold that is made now. */
  holdExpiresAtMs: number
}

type Record = (standing: Standing | null, fact: Fact) => Change

const FACTS: { readonly [Kind in FactKind]: Record } = {
  advice: (standing, { message, amountCents, holdExpiresAtMs }) =>
    advise(standing, { approved: message.advice?.approved ?? true, amountCents, holdExpiresAtMs }),
  reversal: (standing, { amountCents }) => reverse(standing, amountCents),
  capture: (standing, { message, amountCents }) => capture(standing, amountCents, message.final),
  refund: (standing, { message, amountCents }) =>
    refund(standing, amountCents, namesOriginal(message)),
  capture_reversal: (standing, { amountCents }) => captureReversal(standing, amountCents),
  refund_reversal: (standing, { message, amountCents }) =>
    refundReversal(standing, amountCents, namesOriginal(message)),
}

/** Returns the effect of a notification on its transaction. `kind` is the message's. */
export function factChange(kind: FactKind, standing: Standing | null, fact: Fact): Change {
  return FACTS[kind](standing, fact)
}
