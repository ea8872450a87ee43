// The webhook event envelope of Spec 2.7, and the authorization request of real-time authorization
// (Spec 6.1).
import { unixSeconds } from '../clock.ts'
import { AUTHORIZATION_REQUEST_TYPE } from '../event-catalog.ts'
import {
  type CardTransaction,
  cardTransaction,
  type TransactionSource,
} from './card-transaction.ts'

export interface EventEnvelope<Data = unknown> {
  id: string
  type: string
  created: number
  api_version: string
  data: Data
  /** For changes: the earlier values of the changed fields. */
  previous_attributes?: { readonly [field: string]: unknown }
}

/**
 * The envelope a tenant gets before the network is answered; its id is the authorization request's.
 */
export function authorizationRequest(
  source: TransactionSource,
  apiVersion: string,
): EventEnvelope<{ transaction: CardTransaction }> {
  return {
    id: source.record.requestId,
    type: AUTHORIZATION_REQUEST_TYPE,
    created: unixSeconds(source.record.receivedAtMs),
    api_version: apiVersion,
    data: { transaction: cardTransaction(source) },
  }
}
