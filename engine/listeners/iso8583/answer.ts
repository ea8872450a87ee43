// Turns an answer into an ISO message. The authorization line answers every listener with the same
// text; here it becomes the fields an acquirer reads. A refusal without a decision is 91 (no
// decision possible), 30 (a field at fault, named in 44) or 63 (unknown link).
import type { IsoMessage } from '../../../shared/wire/iso8583/codec.ts'
import { currencyNumber } from '../../../shared/wire/iso8583/currencies.ts'
import type { Fields, MessageType } from '../../../shared/wire/iso8583/fields.ts'
import type { DecisionEntry } from '../../../shared/wire/journal-entry.ts'
import { type AnswerParts, partsOf } from '../../line/answer-text.ts'

/** Fields of a request that its answer repeats. Never the PAN: the rest identifies the message. */
const ECHOED = [3, 4, 7, 11, 12, 13, 32, 37, 41, 42, 49, 63, 70, 90] as const

/**
 * Type of an answer and its first fields: all that is kept of a request until it is answered. The
 * answer takes the fields over.
 */
export interface Echo {
  mti: MessageType
  fields: Fields
  /** Currency of the card, if its balance was requested: field 54 needs it. */
  currency: string | null
}

const ANSWER_TYPES: { readonly [request: string]: MessageType } = {
  '010': '0110',
  '012': '0130',
  '040': '0410',
  '042': '0430',
  '080': '0810',
}

export const CODE_FORMAT_ERROR = '30'
export const CODE_UNAVAILABLE = '91'
export const CODE_NOT_YOURS = '63'

/** Start of the answer to a request, or null if the message is itself an answer. */
export function echoOf(mti: MessageType, fields: Fields): Echo | null {
  const answerType = ANSWER_TYPES[mti.slice(0, 3)]
  if (answerType === undefined) return null
  const echoed: Fields = {}
  for (const number of ECHOED) {
    const value = fields[number]
    if (value !== undefined) echoed[number] = value
  }
  return { mti: answerType, fields: echoed, currency: null }
}

/** An answer with only a code; field 44 names `field`, 0 for bytes after the last field. */
export function codeAnswer(echo: Echo, code: string, field: number | null = null): IsoMessage {
  const { fields } = echo
  fields[39] = code
  if (field !== null) fields[44] = String(field).padStart(3, '0')
  return { mti: echo.mti, fields }
}

/** Turns a decision into fields; the same answer as from its text. */
export function decisionAnswer(echo: Echo, { decision }: DecisionEntry): IsoMessage {
  return decidedAnswer(echo, decision)
}

/** Turns the line's answer, `status` and `body` as over HTTP, into fields. */
export function answerOf(echo: Echo, status: number, body: string): IsoMessage {
  if (status === 200) return decidedAnswer(echo, partsOf(body))
  if (status === 400) {
    const { error } = JSON.parse(body) as { error: { param: string | null } }
    return codeAnswer(echo, CODE_FORMAT_ERROR, fieldNamed(error.param ?? ''))
  }
  return codeAnswer(echo, status === 401 ? CODE_NOT_YOURS : CODE_UNAVAILABLE)
}

function decidedAnswer(echo: Echo, decided: AnswerParts): IsoMessage {
  const { approved, authorizationCode, availableCents } = decided
  const { fields } = echo
  fields[39] = decided.responseCode
  if (approved) fields[4] = String(decided.approvedAmountCents).padStart(12, '0')
  if (authorizationCode !== null) fields[38] = authorizationCode
  const number = availableCents === null ? null : currencyNumber(echo.currency ?? '')
  if (availableCents !== null && number !== null)
    fields[54] = availableAmount(availableCents, number)
  return { mti: echo.mti, fields }
}

const AMOUNT_MAX = 999_999_999_999

/**
 * Field 54 of a balance: account of any type, amount available, in the card's currency; a credit.
 */
function availableAmount(amount: number, currency: string): string {
  return '0002' + currency + 'C' + String(Math.min(amount, AMOUNT_MAX)).padStart(12, '0')
}

/** The field for a name of the schema; the longest matching name counts. */
const NAMED: readonly (readonly [name: string, field: number])[] = [
  ['id', 11],
  ['transmitted_at', 7],
  ['network_transaction_id', 63],
  ['card.exp_', 14],
  ['card.pin', 52],
  ['card.pan', 2],
  ['card.token', 2],
  ['card.cvc', 48],
  ['card', 2],
  ['amount_cents', 4],
  ['currency', 49],
  ['billing.amount_cents', 6],
  ['billing.rate', 10],
  ['billing', 51],
  ['cashback_cents', 54],
  ['fee_cents', 28],
  ['merchant.id', 42],
  ['merchant.mcc', 18],
  ['merchant', 43],
  ['advice', 39],
  ['entry_method', 22],
  ['kind', 3],
  ['transaction_type', 3],
]
/** Every other field is an element of the private data. */
const PRIVATE_DATA = 48

function fieldNamed(param: string): number {
  return NAMED.find(([name]) => param.startsWith(name))?.[1] ?? PRIVATE_DATA
}
