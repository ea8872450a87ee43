// The authorization requests of a certification: built like real ones, about an invented purchase.

import type { EpochMs } from '../../../../shared/clock.ts'
import { newId } from '../../../../shared/id.ts'
import { AUTH_BUDGET_MS } from '../../../../shared/limits.ts'
import { authorizationRequest } from '../../../../shared/schemas/event.ts'
import type { MessageKind, TransactionType } from '../../../../shared/schemas/network-message.ts'
import type { CardRecord, MessageRecord } from '../../../../shared/wire/journal-entry.ts'
import { PLAIN_MESSAGE } from '../../../../shared/wire/plain-message.ts'

/** The varying part of a certification's authorization requests. */
export interface Purchase {
  kind: MessageKind
  transactionType: TransactionType
  amountCents: number
  currency: string
}

export type AuthorizationRequest = ReturnType<typeof authorizationRequest>

/** Returns an authorization request with ids of its own, as a tenant receives it. */
export function requestAbout(
  purchase: Purchase,
  apiVersion: string,
  now: EpochMs,
): AuthorizationRequest {
  const record = {
    transactionId: newId('txn', now),
    requestId: newId('areq', now),
    environment: 'sandbox',
    receivedAtMs: now,
    budgetMs: AUTH_BUDGET_MS,
    message: messageOf(purchase, now),
    card: cardOf(purchase.currency, now),
    cvc: 'match',
    expiry: 'match',
    trace: [],
    build: 'certification',
    pin: 'not_provided',
    threeDs: 'none',
    walletToken: null,
    cardAmountCents: purchase.amountCents,
    fx: null,
    judgedSeq: 0,
    judgedOrder: 0,
    clockOffsetMs: 0,
  } as const
  return authorizationRequest({ record, decision: null, late: null, sequence: 1 }, apiVersion)
}

function messageOf(purchase: Purchase, now: EpochMs): MessageRecord {
  const networkTransactionId = newId('ntx', now)
  return {
    ...PLAIN_MESSAGE,
    ...purchase,
    id: newId('msg', now),
    network: 'certification',
    networkTransactionId,
    transmittedAtMs: now,
    merchantId: 'certification-1',
    merchantName: 'Café Größe',
    mcc: '5812',
    city: 'Portland',
    country: 'US',
    entryMethod: 'chip',
    partialApprovalCapable: false,
    originalNetworkTransactionId: networkTransactionId,
  }
}

function cardOf(currency: string, now: EpochMs): CardRecord {
  const cardId = newId('card', now)
  return {
    tenantId: '',
    programId: newId('prog', now),
    programVersion: 1,
    cardholderId: newId('ch', now),
    cardholderVersion: 1,
    cardholderStatus: 'active',
    cardId,
    cardVersion: 1,
    cardStatus: 'active',
    cardType: 'virtual',
    windowsId: cardId,
    last4: '0000',
    currency,
    controlVersions: [0, 0, 0],
  }
}
