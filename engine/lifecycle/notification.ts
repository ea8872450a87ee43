// The notifications of a network, one function per kind: the engine records every notification,
// whatever it says.
import type { NotificationKind } from '../../shared/schemas/network-message.ts'
import { type MessageRecord, namesOriginal } from '../../shared/wire/journal-entry.ts'
import { advise } from './advice.ts'
import { capture } from './capture.ts'
import { captureReversal } from './capture-reversal.ts'
import type { Change, TransactionState } from './change.ts'
import { refund } from './refund.ts'
import { refundReversal } from './refund-reversal.ts'
import { reverse } from './reverse.ts'

export interface Notification {
  message: MessageRecord
  /** Amount in the card's currency. */
  amountCents: number
  /** End of a hold that is made now. */
  holdExpiresAtMs: number
}

type Record = (transaction: TransactionState | null, notification: Notification) => Change

const NOTIFICATIONS: { readonly [Kind in NotificationKind]: Record } = {
  advice: (transaction, { message, amountCents, holdExpiresAtMs }) =>
    advise(transaction, {
      approved: message.advice?.approved ?? true,
      amountCents,
      holdExpiresAtMs,
    }),
  reversal: (transaction, { amountCents }) => reverse(transaction, amountCents),
  capture: (transaction, { message, amountCents }) =>
    capture(transaction, amountCents, message.final),
  refund: (transaction, { message, amountCents }) =>
    refund(transaction, amountCents, namesOriginal(message)),
  capture_reversal: (transaction, { amountCents }) => captureReversal(transaction, amountCents),
  refund_reversal: (transaction, { message, amountCents }) =>
    refundReversal(transaction, amountCents, namesOriginal(message)),
}

/** Returns the effect of a notification on its transaction. `kind` is the message's. */
export function notificationChange(
  kind: NotificationKind,
  transaction: TransactionState | null,
  notification: Notification,
): Change {
  return NOTIFICATIONS[kind](transaction, notification)
}
