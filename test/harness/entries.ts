// Journal entries for tests, with every part of a real one.

import { newId } from '../../shared/id.ts'
import { noSums } from '../../shared/transaction-sums.ts'
import type {
  CardSuspensionEntry,
  DecisionEntry,
  LateReplyEntry,
} from '../../shared/wire/journal-entry.ts'
import { PLAIN_MESSAGE } from '../../shared/wire/plain-message.ts'

export const ENTRY_TIME_MS = Date.UTC(2026, 10, 20, 12)

/** An approved authorization of a tenant that was asked, changed by `change`. */
export function decisionEntry(change: Partial<DecisionEntry>): DecisionEntry {
  return {
    kind: 'decision',
    messageKey: Buffer.alloc(16, 7),
    contentHash: Buffer.alloc(8, 9),
    transactionId: newId('txn', ENTRY_TIME_MS),
    requestId: newId('areq', ENTRY_TIME_MS),
    environment: 'sandbox',
    receivedAtMs: ENTRY_TIME_MS,
    budgetMs: 1500,
    cvc: 'match',
    expiry: 'match',
    trace: [[2, 1, 0, 'active']],
    build: 'test',
    pin: 'not_provided',
    threeDs: 'none',
    walletToken: null,
    cardAmountCents: 1250,
    fx: null,
    judgedSeq: 0,
    judgedOrder: 0,
    clockOffsetMs: 0,
    message: {
      ...PLAIN_MESSAGE,
      id: 'msg-1',
      kind: 'authorization',
      network: 'simnet',
      networkTransactionId: 'ntx-1',
      transmittedAtMs: ENTRY_TIME_MS - 5,
      amountCents: 1250,
      currency: 'USD',
      merchantId: 'm-1',
      merchantName: 'Corner shop',
      mcc: '5411',
      city: 'Springfield',
      country: 'US',
      entryMethod: 'chip',
      partialApprovalCapable: false,
      originalNetworkTransactionId: 'ntx-1',
    },
    card: {
      tenantId: 'ten_1',
      programId: 'prog_1',
      programVersion: 1,
      cardholderId: 'ch_1',
      cardholderVersion: 2,
      cardholderStatus: 'active',
      cardId: 'card_1',
      cardVersion: 3,
      cardStatus: 'active',
      cardType: 'virtual',
      last4: '4242',
      currency: 'USD',
      controlVersions: [0, 0, 1],
      windowsId: 'card_1',
    },
    decision: {
      approved: true,
      approvedAmountCents: 1250,
      responseCode: '00',
      authorizationCode: '123456',
      declineReason: null,
      declineDetail: null,
      decidedBy: 'tenant',
      standIn: false,
      decidedAtMs: ENTRY_TIME_MS + 40,
      tenant: {
        outcome: 'answered_approve',
        endpointId: 'we_1',
        httpStatus: 200,
        latencyMs: 38.5,
        attempts: 1,
        errorHint: null,
        reason: null,
        approvedAmountCents: null,
        metadata: { order: '17' },
        dropped: [],
      },
      meters: [['card_1', 'UTC', 'USD', 20261120]],
      timings: {
        parse: 30,
        recall: 1,
        state_read: 8,
        controls: 3,
        reserve: 2,
        sign: 5,
        connect: 0,
        tenant_wait: 38_500,
        finalize: 12,
        total: 38_700,
      },
      holdCents: 1250,
      availableCents: null,
      standInCap: null,
      standInWould: { approve: true, reason: null },
      breaker: 'closed',
      shadow: [],
      marks: [],
      wouldStop: [],
      standInPolicyVersion: 1,
    },
    effect: {
      link: Buffer.alloc(16, 5),
      sequence: 1,
      event: 'authorized',
      amountCents: 1250,
      sums: { ...noSums(), authorized: 1250 },
      flags: 0,
      holdExpiresAtMs: ENTRY_TIME_MS + 7 * 86_400_000,
      early: null,
    },
    ...change,
  }
}

export function lateReplyEntry(change: Partial<LateReplyEntry>): LateReplyEntry {
  return {
    kind: 'late_reply',
    transactionId: newId('txn', ENTRY_TIME_MS),
    tenantId: 'ten_1',
    environment: 'sandbox',
    repliedAtMs: ENTRY_TIME_MS + 2000,
    outcome: 'late_approve',
    latencyMs: 2000,
    reason: null,
    disagrees: false,
    requestId: newId('areq', ENTRY_TIME_MS),
    sequence: 1,
    ...change,
  }
}

/** A card that a fraud rule stopped. */
export function cardSuspensionEntry(change: Partial<CardSuspensionEntry>): CardSuspensionEntry {
  return {
    kind: 'card_suspension',
    cardId: 'card_1',
    tenantId: 'ten_1',
    environment: 'sandbox',
    cardVersion: 1,
    suspendedAtMs: ENTRY_TIME_MS + 50,
    rule: 'card_testing',
    transactionId: null,
    ...change,
  }
}
