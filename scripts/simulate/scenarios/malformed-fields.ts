// One way to break each field of a message, with the name the refusal must give.
import type { NetworkMessage } from '../../../shared/schemas/network-message.ts'

export interface MalformedField {
  /** As the refusal names it. */
  param: string
  code: 'parameter_invalid' | 'parameter_missing' | 'parameters_exclusive'
  break(message: NetworkMessage): unknown
}

function invalid(param: string, breakField: MalformedField['break']): MalformedField {
  return { param, code: 'parameter_invalid', break: breakField }
}

function missing(param: string, breakField: MalformedField['break']): MalformedField {
  return { param, code: 'parameter_missing', break: breakField }
}

const PAN = { pan: '9999990000000000', exp_month: 12, exp_year: 2034 }

/** Undefined fields are left out by JSON. */
export const MALFORMED_FIELDS: readonly MalformedField[] = [
  missing('id', (message) => ({ ...message, id: undefined })),
  invalid('id', (message) => ({ ...message, id: 7 })),
  invalid('id', (message) => ({ ...message, id: 'two words' })),
  invalid('kind', (message) => ({ ...message, kind: 'greeting' })),
  invalid('transmitted_at', (message) => ({ ...message, transmitted_at: 'yesterday' })),
  invalid('transmitted_at', (message) => ({ ...message, transmitted_at: '2026-11-20T10:00:00' })),
  missing('network_transaction_id', (message) => ({
    ...message,
    network_transaction_id: undefined,
  })),
  missing('card', (message) => ({ ...message, card: undefined })),
  missing('card.token', (message) => ({ ...message, card: {} })),
  {
    param: 'card',
    code: 'parameters_exclusive',
    break: (message) => ({ ...message, card: { ...message.card, ...PAN } }),
  },
  invalid('card.pan', (message) => ({ ...message, card: { ...PAN, pan: '1234' } })),
  invalid('card.exp_month', (message) => ({ ...message, card: { ...PAN, exp_month: 13 } })),
  invalid('card.exp_month', (message) => ({ ...message, card: { ...PAN, exp_month: '12' } })),
  invalid('card.exp_year', (message) => ({ ...message, card: { ...PAN, exp_year: 34 } })),
  missing('card.exp_year', (message) => ({ ...message, card: { ...PAN, exp_year: undefined } })),
  invalid('card.cvc', (message) => ({ ...message, card: { ...PAN, cvc: 123 } })),
  missing('amount_cents', (message) => ({ ...message, amount_cents: undefined })),
  invalid('amount_cents', (message) => ({ ...message, amount_cents: -1 })),
  invalid('amount_cents', (message) => ({ ...message, amount_cents: 10.5 })),
  invalid('amount_cents', (message) => ({ ...message, amount_cents: '100' })),
  invalid('amount_cents', (message) => ({ ...message, amount_cents: 2 ** 53 })),
  invalid('currency', (message) => ({ ...message, currency: 'usd' })),
  invalid('merchant.mcc', (message) => ({
    ...message,
    merchant: { ...message.merchant, mcc: 5411 },
  })),
  missing('merchant.id', (message) => ({
    ...message,
    merchant: { ...message.merchant, id: undefined },
  })),
  invalid('merchant.country', (message) => ({
    ...message,
    merchant: { ...message.merchant, country: 'USA' },
  })),
]
