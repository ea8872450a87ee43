// Reads the common form of a network message in one pass over its bytes. Part of decode, which
// reads every other message the slow way and refuses invalid ones.
import {
  NetworkMessage as Schema,
  type NetworkMessage as Wire,
} from '../../shared/schemas/network-message.ts'
import { type Form, formOf, placesOf, type Values } from '../plain-json/form.ts'
import { readPlain } from '../plain-json/read.ts'

/** Every key of a message and of its nested objects, so the compiler finds a forgotten key. */
type Whole<Part> = { [Key in keyof Part]-?: Part[Key] | undefined }

const {
  card: CARD_SCHEMA,
  merchant: MERCHANT_SCHEMA,
  billing: BILLING_SCHEMA,
  advice: ADVICE_SCHEMA,
  wallet: WALLET_SCHEMA,
  three_ds: THREE_DS_SCHEMA,
} = Schema.properties

const MESSAGE = placesOf(Schema)
const CARD = placesOf(CARD_SCHEMA)
const MERCHANT = placesOf(MERCHANT_SCHEMA)
const BILLING = placesOf(BILLING_SCHEMA)
const ADVICE = placesOf(ADVICE_SCHEMA)
const WALLET = placesOf(WALLET_SCHEMA)
const THREE_DS = placesOf(THREE_DS_SCHEMA)

const FORM: Form = formOf(Schema, messageOf, {
  card: formOf(CARD_SCHEMA, cardOf),
  merchant: formOf(MERCHANT_SCHEMA, merchantOf),
  billing: formOf(BILLING_SCHEMA, billingOf),
  advice: formOf(ADVICE_SCHEMA, adviceOf),
  wallet: formOf(WALLET_SCHEMA, walletOf),
  three_ds: formOf(THREE_DS_SCHEMA, threeDsOf),
})

/**
 * Returns the message in these bytes if it is valid by the schema and has no duplicate key; absent
 * fields are undefined. Null means only that the other reader must read the bytes.
 */
export function readPlainMessage(body: Buffer): Wire | null {
  return readPlain(FORM, body) as Wire | null
}

function messageOf(values: Values): Whole<Wire> {
  return {
    id: values[MESSAGE.id],
    kind: values[MESSAGE.kind],
    transmitted_at: values[MESSAGE.transmitted_at],
    is_repeat: values[MESSAGE.is_repeat],
    network_transaction_id: values[MESSAGE.network_transaction_id],
    original_network_transaction_id: values[MESSAGE.original_network_transaction_id],
    card: values[MESSAGE.card],
    amount_cents: values[MESSAGE.amount_cents],
    currency: values[MESSAGE.currency],
    billing: values[MESSAGE.billing],
    cashback_cents: values[MESSAGE.cashback_cents],
    fee_cents: values[MESSAGE.fee_cents],
    merchant: values[MESSAGE.merchant],
    transaction_type: values[MESSAGE.transaction_type],
    entry_method: values[MESSAGE.entry_method],
    fallback_from_chip: values[MESSAGE.fallback_from_chip],
    initiator: values[MESSAGE.initiator],
    recurring: values[MESSAGE.recurring],
    partial_approval_capable: values[MESSAGE.partial_approval_capable],
    final: values[MESSAGE.final],
    advice: values[MESSAGE.advice],
    wallet: values[MESSAGE.wallet],
    three_ds: values[MESSAGE.three_ds],
  }
}

function cardOf(values: Values): Whole<Wire['card']> {
  return {
    token: values[CARD.token],
    pan: values[CARD.pan],
    exp_month: values[CARD.exp_month],
    exp_year: values[CARD.exp_year],
    cvc: values[CARD.cvc],
    pin: values[CARD.pin],
  }
}

function merchantOf(values: Values): Whole<Wire['merchant']> {
  return {
    id: values[MERCHANT.id],
    name: values[MERCHANT.name],
    mcc: values[MERCHANT.mcc],
    city: values[MERCHANT.city],
    country: values[MERCHANT.country],
  }
}

function billingOf(values: Values): Whole<NonNullable<Wire['billing']>> {
  return {
    amount_cents: values[BILLING.amount_cents],
    currency: values[BILLING.currency],
    rate: values[BILLING.rate],
  }
}

function adviceOf(values: Values): Whole<NonNullable<Wire['advice']>> {
  return {
    approved: values[ADVICE.approved],
    decided_by: values[ADVICE.decided_by],
    response_code: values[ADVICE.response_code],
  }
}

function walletOf(values: Values): Whole<NonNullable<Wire['wallet']>> {
  return {
    provider: values[WALLET.provider],
    token_id: values[WALLET.token_id],
  }
}

function threeDsOf(values: Values): Whole<NonNullable<Wire['three_ds']>> {
  return {
    transaction_id: values[THREE_DS.transaction_id],
    claim: values[THREE_DS.claim],
  }
}
