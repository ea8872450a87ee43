// No text of a request may pass as a card number: names, metadata, external ids, reasons, URLs,
// keys and filters are kept and shown, and a URL stands in the access logs of every proxy. The gate
// looks at every text, so that no field can be forgotten.
import type { FastifyRequest } from 'fastify'
import { findPan } from '../../../shared/pan-search.ts'
import { Refusal } from '../refusal.ts'
import { eachText } from './texts.ts'
import { paramName } from './validate.ts'

/**
 * Fields that are meant to hold a card number, or a number that a network gave: an ordinary number
 * of the network may pass as one of a card, and the engine compares these with the number of the
 * very card. A place in a list is `*`.
 */
export const NUMBERS_OF_NETWORKS: ReadonlySet<string> = new Set([
  '/allowed_merchant_ids/*',
  '/blocked_merchant_ids/*',
  '/card/pan',
  '/entries/*/message_id',
  '/file_id',
  '/id',
  '/merchant/id',
  '/merchant_id',
  '/message_id',
  '/network_transaction_id',
  '/original_network_transaction_id',
  '/three_ds/transaction_id',
  '/wallet/token_id',
])

const MESSAGE =
  'This text passes as the number of a payment card, and must not. Card numbers are never taken here.'

/**
 * Refuses (400) the field that holds a card number. A path with one reads like a path to nothing
 * (404).
 */
export function refuseCardNumbers({ routeOptions, params, query, body }: FastifyRequest): void {
  if (routeOptions.config.route === undefined) return
  eachText(params, (text) => {
    if (findPan(text) !== null) throw new Refusal('resource_missing')
  })
  eachText(query, refuseIn)
  eachText(body, refuseIn)
}

function refuseIn(text: string, pointer: string): void {
  if (findPan(text) === null && findPan(unescaped(text)) === null) return
  if (NUMBERS_OF_NETWORKS.has(pointer.replace(/\/\d+(?=\/|$)/g, '/*'))) return
  throw cardNumberIn(paramName(pointer))
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
  return new Refusal('parameter_invalid', { param, message: MESSAGE })
}
