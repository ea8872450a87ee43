// No text of a request may pass as a card number: names, metadata, external ids, reasons, URLs,
// keys and filters are kept and shown, and a URL stands in the access logs of every proxy. The gate
// looks at every text, so that no field can be forgotten.
import type { FastifyRequest } from 'fastify'
import { findPan } from '../../../shared/pan-search.ts'
import { Refusal } from '../refusal.ts'
import { eachText } from './texts.ts'

const MERCHANT_LISTS = ['body/allowed_merchant_ids/*', 'body/blocked_merchant_ids/*']
const MESSAGE_IDS = ['body/merchant/id', 'body/three_ds/transaction_id', 'body/wallet/token_id']

/**
 * Fields that are meant to hold a card number, or a number that a network gave, by the first path
 * of their route: an ordinary number of the network may pass as one of a card, and the engine
 * compares these with the number of the very card. A place in a list is `*`. Chosen: a query holds
 * one only where it is the network's id of a transaction or message.
 */
export const NUMBERS_OF_NETWORKS: { readonly [route: string]: readonly string[] } = {
  'POST /v1/spending_controls': MERCHANT_LISTS,
  'PATCH /v1/spending_controls/:id': MERCHANT_LISTS,
  'POST /v1/spending_controls/:id/backtests': MERCHANT_LISTS,
  'POST /v1/tokens': ['body/card/pan'],
  'POST /v1/cards/:id/evaluate': MESSAGE_IDS,
  'GET /v1/card_transactions': ['query/network_transaction_id'],
  'GET /v1/clearing_exceptions': ['query/message_id'],
  'GET /operator/v1/clearing_files/:id/exceptions': ['query/message_id'],
  'POST /operator/v1/clearing_files': ['body/file_id'],
  'POST /operator/v1/clearing_files/:id/parts': ['body/entries/*/message_id'],
  'POST /v1/simulate/card_network/messages': [
    ...MESSAGE_IDS,
    'body/id',
    'body/network_transaction_id',
    'body/original_network_transaction_id',
  ],
}

/** Says that a text passes as a card number. */
export const CARD_NUMBER_MESSAGE =
  'This text passes as the number of a payment card, and must not. Card numbers are never taken here.'

/** A path with a card number reads like a path to nothing (404). */
export function refuseCardNumberInPath({ routeOptions, params }: FastifyRequest): void {
  if (routeOptions.config.route === undefined) return
  eachText(params, (text) => {
    if (findPan(text) !== null) throw new Refusal('resource_missing')
  })
}

/**
 * Whether the text of a field passes as a card number, where none may stand. `field` is the field's
 * JSON pointer behind `query` or `body`.
 */
export function holdsCardNumber(text: string, field: string, route: RouteName): boolean {
  if (findPan(text) === null && findPan(unescaped(text)) === null) return false
  const taken = NUMBERS_OF_NETWORKS[route.method + ' ' + route.paths[0]] ?? []
  return !taken.includes(field.replace(/\/\d+(?=\/|$)/g, '/*'))
}

interface RouteName {
  readonly method: string
  readonly paths: readonly string[]
}

/** A plus between digits is a space in a URL; one before a telephone number is none. */
const SPACE_IN_URL = /(?<=\d)\+(?=\d)/g

/** The text as a URL means it; empty where nothing in it is escaped. */
function unescaped(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return ''
  try {
    return decodeURIComponent(text.replaceAll(SPACE_IN_URL, ' '))
  } catch {
    return ''
  }
}

/** The refusal of a parameter, by its name, whose value passes as a card number. */
export function cardNumberIn(param: string): Refusal {
  return new Refusal('parameter_invalid', { param, message: CARD_NUMBER_MESSAGE })
}
