// The call of the function that decides, and its values in their order.
import type { AuthorizationRequest } from './authorization-request.ts'

const PARAMETERS = 18

/** `content`, `transaction_id`, `reason`, `authorization_code`: as they were kept first. */
export const AUTHORIZE =
  'select * from authorize(' +
  Array.from({ length: PARAMETERS }, (_, at) => '$' + (at + 1)).join(', ') +
  ')'

/** As texts, which every driver can send. */
export function valuesOf(q: AuthorizationRequest): (string | null)[] {
  return [
    q.messageId,
    q.content,
    q.token,
    q.fingerprint,
    q.expMonth === null ? null : String(q.expMonth),
    q.expYear === null ? null : String(q.expYear),
    q.cvcVerifier,
    String(q.amountCents),
    q.currency,
    q.merchantId,
    q.mcc,
    q.country,
    q.networkTransactionId,
    new Date(q.receivedAtMs).toISOString(),
    String(q.day),
    String(q.week),
    q.transactionId,
    q.authorizationCode,
  ]
}
