// Payment accounts as the engine knows them, and messages of the network of payments.
import { newId } from '../../shared/id.ts'
import type { CardConfig } from '../../shared/wire/config-records.ts'
import type { PaymentMessage } from '../../shared/wire/control.ts'
import { judgedConfig } from './judged.ts'

export const ACCOUNT_ID = 'pacc_1'
const HOLD_MS = 24 * 3_600_000

/** An active account of the test's cardholder with 100.00 on the chain. */
export function accountConfig(change: Partial<CardConfig> = {}): CardConfig {
  const { card } = judgedConfig()
  const id = change.id ?? ACCOUNT_ID
  return {
    ...card,
    id,
    token: id,
    fingerprint: id,
    windows_id: id,
    card_type: 'account',
    last4: '',
    exp_year: 9999,
    cvc_verifier: '',
    funded_cents: 10_000,
    ...change,
  }
}

/** An authorization of 10.00 for a day. */
export function paymentMessage(change: Partial<PaymentMessage> = {}): PaymentMessage {
  const id = change.payment_id ?? newId('pay', Date.now())
  return {
    id,
    kind: 'authorization',
    environment: 'sandbox',
    payment_id: id,
    payment_account_id: ACCOUNT_ID,
    amount_cents: 1000,
    merchant: { id: 'sacc_1', name: 'Shop', mcc: '5411', country: 'US' },
    final: false,
    hold_expires_at_ms: Date.now() + HOLD_MS,
    ...change,
  }
}

/** A later message about the payment that `authorization` opened. */
export function paymentFollowUp(
  authorization: PaymentMessage,
  change: Pick<PaymentMessage, 'kind'> & Partial<PaymentMessage>,
): PaymentMessage {
  return {
    ...authorization,
    id: newId('cap', Date.now()),
    final: change.kind === 'capture',
    hold_expires_at_ms: null,
    ...change,
  }
}
