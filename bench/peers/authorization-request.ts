// The border of the peers that are asked over HTTP: the network's signature, the shape of the
// message, and what of it goes into a decision. The same work as at the engine's door; no number of
// a card goes further.
import { Ajv } from 'ajv'
import { encodeId, newId } from '../../shared/id.ts'
import { type Derivation, deriveKeys } from '../../shared/keyring.ts'
import { NetworkMessage } from '../../shared/schemas/network-message.ts'
import { verifySignature } from '../../shared/signature.ts'
import { calendarLabels } from './windows.ts'

/** The data that a decision needs. */
export interface AuthorizationRequest {
  messageId: string
  /** The contents that two messages of one id must share to be the same. */
  content: string
  /** One of the two names the card. */
  token: string | null
  fingerprint: string | null
  /** Null where none was sent, as the two behind it. */
  expMonth: number | null
  expYear: number | null
  cvcVerifier: string | null
  amountCents: number
  currency: string
  merchantId: string
  mcc: string
  country: string
  networkTransactionId: string
  receivedAtMs: number
  /** 20261120, and that of the Monday before. */
  day: number
  week: number
  /** The id of the transaction, if this is the first of its messages. */
  transactionId: string
  authorizationCode: string
}

export interface Border {
  /** Null, or why the bytes are not the network's. */
  problem(body: Uint8Array, signature: string): string | null
  /** The question in a message whose shape is right; null where it is none that is decided here. */
  requestOf(message: NetworkMessage): AuthorizationRequest | null
}

const NETWORK = 'bench'

export function openBorder({ secret, root }: { secret: string; root: Buffer }): Border {
  const derivation = deriveKeys(root, encodeId)
  const secrets = [secret]
  return {
    problem: (body, header) =>
      verifySignature({ header, body, secrets, nowS: Math.floor(Date.now() / 1000) }),
    requestOf: (message) => requestOf(message, derivation, Date.now()),
  }
}

/** True for what has the shape of a network's message. */
export const isNetworkMessage = new Ajv({ strict: false }).compile<NetworkMessage>(NetworkMessage)

/** The question in a message that came at this moment. */
export function requestOf(
  message: NetworkMessage,
  derivation: Derivation,
  receivedAtMs: number,
): AuthorizationRequest | null {
  const { card, merchant, network_transaction_id: networkTransactionId } = message
  const { token = null, pan, cvc } = card
  const fingerprint = pan === undefined ? null : derivation.fingerprint(pan)
  // Only a number comes with what is printed beside it.
  const named = fingerprint === null ? token !== null && cvc === undefined : token === null
  if (message.kind !== 'authorization' || !named) return null
  const identity = token ?? fingerprint ?? ''
  const content = [
    message.kind,
    identity,
    message.amount_cents,
    message.currency,
    merchant.id,
    networkTransactionId,
  ].join('\0')
  const { day, week } = calendarLabels(receivedAtMs)
  return {
    messageId: derivation.messageKey(NETWORK, message.id).toString('base64url'),
    content: derivation.contentHash(content).toString('base64url'),
    token,
    fingerprint,
    expMonth: card.exp_month ?? null,
    expYear: card.exp_year ?? null,
    cvcVerifier:
      cvc === undefined || fingerprint === null ? null : derivation.cvcVerifier(fingerprint, cvc),
    amountCents: message.amount_cents,
    currency: message.currency,
    merchantId: merchant.id,
    mcc: merchant.mcc,
    country: merchant.country,
    networkTransactionId,
    receivedAtMs,
    day,
    week,
    transactionId: newId('txn', receivedAtMs),
    authorizationCode: sixDigits(),
  }
}

function sixDigits(): string {
  return String(Math.floor(Math.random() * 1_000_000)).padStart(6, '0')
}
