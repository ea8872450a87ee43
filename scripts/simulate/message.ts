// The messages a card network would send, and their bytes on the wire: built, signed, framed.
import { type EpochMs, isoInstant, unixSeconds } from '../../shared/clock.ts'
import { randomSecret } from '../../shared/id.ts'
import type { NetworkAnswer, NetworkMessage } from '../../shared/schemas/network-message.ts'
import { signatureHeader } from '../../shared/signature.ts'
import type { Target } from './connection-pool.ts'
import type { SecretCard } from './sandbox.ts'

const MESSAGES_PATH = '/v1/network/messages'

export type NetworkCard = NetworkMessage['card']
export type Merchant = NetworkMessage['merchant']

/** The fields that a scenario may set; all others are those of an everyday purchase. */
export type MessageChange = Partial<Omit<NetworkMessage, 'card' | 'merchant'>> & {
  merchant?: Partial<Merchant>
}

const GROCERY: Merchant = {
  id: 'merch_sim_grocery',
  name: 'Corner Grocery',
  mcc: '5411',
  city: 'Portland',
  country: 'US',
}

/** An id no other run uses. */
export function newMessageId(): string {
  return 'msg_sim_' + randomSecret(12)
}

/** A purchase of 12.34 at a grocery, changed as asked. */
export function newMessage(
  card: NetworkCard,
  context: { now: EpochMs; currency: string },
  change: MessageChange = {},
): NetworkMessage {
  const id = change.id ?? newMessageId()
  return {
    kind: 'authorization',
    transmitted_at: isoInstant(context.now),
    network_transaction_id: networkTransactionId(id),
    amount_cents: 1234,
    currency: context.currency,
    entry_method: 'contactless',
    partial_approval_capable: false,
    ...change,
    id,
    card,
    merchant: { ...GROCERY, ...change.merchant },
  }
}

/** The network's id of the transaction that a message of ours opens. */
export function networkTransactionId(messageId: string): string {
  return 'ntx_' + messageId.slice(4)
}

export function byToken(card: SecretCard): NetworkCard {
  return { token: card.token }
}

export function byPan(card: SecretCard): NetworkCard {
  return {
    pan: card.pan,
    exp_month: card.exp_month,
    exp_year: card.exp_year,
    cvc: card.cvc,
  }
}

export interface NetworkCredentials {
  key_id: string
  secret: string
}

/** A whole signed request. The signature holds for 300 s around `now`, so it may be built ahead. */
export function signedRequest(
  target: Target,
  credentials: NetworkCredentials,
  body: string,
  now: EpochMs,
): Buffer {
  return requestBytes(target, body, [
    ['Svc-Signature', signatureHeader([credentials.secret], unixSeconds(now), body)],
    ['Svc-Key-Id', credentials.key_id],
  ])
}

/**
 * A request with exactly these headers beside Host, Content-Type and Content-Length, right or
 * wrong.
 */
export function requestBytes(
  target: Target,
  body: string,
  headers: readonly (readonly [name: string, value: string])[],
): Buffer {
  let head = requestHead(target) + 'Content-Length: ' + Buffer.byteLength(body) + '\r\n'
  for (const [name, value] of headers) head += name + ': ' + value + '\r\n'
  return Buffer.from(head + '\r\n' + body)
}

/** The request line and the headers every message has. */
export function requestHead(target: Target): string {
  return (
    'POST ' +
    MESSAGES_PATH +
    ' HTTP/1.1\r\nHost: ' +
    target.host +
    ':' +
    target.port +
    '\r\nContent-Type: application/json\r\n'
  )
}

/** Where a `http://host:port` listens. */
export function targetOf(url: string): Target {
  const { hostname, port, protocol } = new URL(url)
  const tls = protocol === 'https:'
  const fallback = tls ? 443 : 80
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? fallback : Number(port),
    tls,
  }
}

/** The answer in a body, or null where it is not one: every key must be there with its type. */
export function answerIn(body: Buffer): NetworkAnswer | null {
  let answer: unknown
  try {
    answer = JSON.parse(body.toString())
  } catch {
    // A body that is not JSON is not an answer; the caller reports it.
    return null
  }
  return isAnswer(answer) ? answer : null
}

function isAnswer(value: unknown): value is NetworkAnswer {
  if (typeof value !== 'object' || value === null) return false
  const answer: Partial<NetworkAnswer> = value
  return (
    typeof answer.message_id === 'string' &&
    (answer.transaction_id === null || typeof answer.transaction_id === 'string') &&
    typeof answer.approved === 'boolean' &&
    Number.isSafeInteger(answer.approved_amount_cents) &&
    typeof answer.response_code === 'string' &&
    (answer.authorization_code === null || typeof answer.authorization_code === 'string') &&
    (answer.decline_reason === null || typeof answer.decline_reason === 'string') &&
    typeof answer.decided_by === 'string' &&
    typeof answer.stand_in === 'boolean'
  )
}
