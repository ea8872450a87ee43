// A network message as an acquirer sends it in ISO 8583: the simulator's side of the dialect,
// written apart from the engine's.
import type { NetworkMessage } from '../../shared/schemas/network-message.ts'
import type { IsoMessage } from '../../shared/wire/iso8583/codec.ts'
import { currencyNumber } from '../../shared/wire/iso8583/currencies.ts'
import type { Fields, MessageType } from '../../shared/wire/iso8583/fields.ts'
import { pinBlock } from '../../shared/wire/iso8583/pin-block.ts'
import { encodePrivateData, type PrivateData } from '../../shared/wire/iso8583/private-data.ts'

/** The identity of a message on a link; its answer carries the same values. */
export interface Trace {
  /** Six digits. */
  stan: string
  acquirer: string
  /** Up to eight characters. */
  terminal: string
}

const MESSAGE_TYPES: { readonly [Kind in NetworkMessage['kind']]?: MessageType } = {
  authorization: '0100',
  incremental: '0100',
  account_verification: '0100',
  balance_inquiry: '0100',
  advice: '0120',
  reversal: '0420',
}

const TRANSACTION_CODES: { readonly [type: string]: string } = {
  purchase: '00',
  fuel_dispenser: '00',
  cash_withdrawal: '01',
  account_funding: '10',
  quasi_cash: '11',
  cash_advance: '17',
  refund: '20',
  original_credit: '26',
  bill_payment: '50',
}
const BALANCE_INQUIRY = '30'
const UNKNOWN_CODE = '99'

const ENTRY_MODES: { readonly [method: string]: string } = {
  manual: '01',
  swipe: '02',
  ocr: '04',
  chip: '05',
  contactless: '07',
  stored_credential: '10',
  online: '81',
}
const FALLBACK_TO_STRIPE = '80'
const FALLBACK_TO_KEYS = '79'

/**
 * The message in fields, or null for a kind that networks clear by other means. Its id is made of
 * the trace.
 */
export function isoRequest(message: NetworkMessage, trace: Trace): IsoMessage | null {
  const mti = MESSAGE_TYPES[message.kind]
  if (mti === undefined) return null
  const { card, merchant } = message
  const expiry =
    card.exp_year === undefined || card.exp_month === undefined
      ? undefined
      : twoDigits(card.exp_year % 100) + twoDigits(card.exp_month)
  const priv = encodePrivateData(privateDataOf(message))
  const verification = message.kind === 'account_verification'
  const fields: Fields = {
    ...(card.pan !== undefined && { 2: card.pan }),
    3: processingCode(message),
    4: amount(message.amount_cents),
    7: transmission(message.transmitted_at),
    11: trace.stan,
    ...(expiry !== undefined && { 14: expiry }),
    18: merchant.mcc,
    22: entryMode(message) + '1',
    25: verification ? '51' : '00',
    32: trace.acquirer,
    41: inFull(trace.terminal, 8),
    42: inFull(merchant.id, 15),
    43: inFull(merchant.name, 25) + inFull(merchant.city, 13) + merchant.country,
    ...(priv !== '' && { 48: priv }),
    49: currencyNumber(message.currency) ?? '000',
    63: message.network_transaction_id,
    ...moneyFields(message),
    ...(message.kind === 'advice' && { 39: message.advice?.response_code ?? '00' }),
    ...(card.pin !== undefined && { 52: pinBlock(card.pin, card.pan ?? '') }),
  }
  const request = { mti, fields }
  return message.is_repeat === true ? repeated(request) : request
}

/** The id that the engine makes of a request: the same for its repeats. */
export function isoMessageId(mti: string, transmittedAt: string, trace: Trace): string {
  const moment = new Date(transmittedAt).toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')
  const terminal = encodeURIComponent(trace.terminal)
  return ['iso', mti.slice(0, 3), trace.acquirer, trace.stan, moment, terminal].join('-')
}

/** The same message once more, as a network repeats it that got no answer. */
export function repeated(request: IsoMessage): IsoMessage {
  return { mti: (request.mti.slice(0, 3) + '1') as MessageType, fields: request.fields }
}

function processingCode({ kind, transaction_type: type = 'purchase' }: NetworkMessage): string {
  const code = kind === 'balance_inquiry' ? BALANCE_INQUIRY : TRANSACTION_CODES[type]
  return (code ?? UNKNOWN_CODE) + '0000'
}

function entryMode(message: NetworkMessage): string {
  const method = message.entry_method ?? 'unknown'
  if (message.fallback_from_chip) return method === 'swipe' ? FALLBACK_TO_STRIPE : FALLBACK_TO_KEYS
  return ENTRY_MODES[method] ?? '00'
}

function moneyFields(message: NetworkMessage): Fields {
  const { billing, fee_cents: fee, cashback_cents: cashback } = message
  const currency = currencyNumber(message.currency) ?? '000'
  return {
    ...(billing !== undefined && {
      6: amount(billing.amount_cents),
      51: currencyNumber(billing.currency) ?? '000',
      ...(billing.rate !== undefined && { 10: conversionRate(billing.rate) }),
    }),
    ...(fee !== undefined && { 28: 'D' + String(fee).padStart(8, '0') }),
    ...(cashback !== undefined && { 54: '0040' + currency + 'D' + amount(cashback) }),
  }
}

/** As many decimals as fit beside the whole part, at most seven digits and seven decimals. */
function conversionRate(rate: string): string {
  const [whole = '0', fraction = ''] = rate.split('.')
  const decimals = fraction.slice(0, 7 - whole.length)
  return decimals.length + (whole + decimals).padStart(7, '0')
}

const CLAIMS = { authenticated: 'Y', attempted: 'A', failed: 'N', exempt: 'E' } as const

function privateDataOf(message: NetworkMessage): PrivateData {
  const { card, wallet, three_ds: threeDs } = message
  const original = message.original_network_transaction_id
  const flag = (value: boolean): string => (value ? '1' : '0')
  return {
    ...(card.cvc !== undefined && { cvc: card.cvc }),
    ...(original !== undefined && { originalNetworkTransactionId: original }),
    ...(card.token !== undefined && { cardToken: card.token }),
    ...(wallet?.provider !== undefined && { walletProvider: wallet.provider }),
    ...(wallet !== undefined && { walletTokenId: wallet.token_id }),
    ...(threeDs !== undefined && { threeDsClaim: CLAIMS[threeDs.claim] }),
    ...(threeDs?.transaction_id !== undefined && { threeDsId: threeDs.transaction_id }),
    ...(message.initiator !== undefined && {
      initiator: message.initiator === 'merchant' ? 'M' : 'C',
    }),
    ...(message.recurring !== undefined && { recurring: flag(message.recurring) }),
    ...(message.partial_approval_capable !== undefined && {
      partialApproval: flag(message.partial_approval_capable),
    }),
    ...(message.final !== undefined && { final: flag(message.final) }),
    ...(message.advice?.decided_by !== undefined && {
      decidedBy: message.advice.decided_by === 'network' ? 'N' : 'S',
    }),
    ...(message.kind === 'incremental' && { incremental: '1' }),
  }
}

/** MMDDhhmmss of an RFC 3339 moment in UTC. */
function transmission(moment: string): string {
  return new Date(moment).toISOString().slice(5, 19).replaceAll(/[-:T]/g, '')
}

/** Filled with spaces, or cut, to the length of its field. */
function inFull(text: string, characters: number): string {
  return text.slice(0, characters).padEnd(characters)
}

function amount(cents: number): string {
  return String(cents).padStart(12, '0')
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
