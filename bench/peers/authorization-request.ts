// The border of the peers behind HTTP: the network's signature, the shape of the message, and the
// fields that a decision needs. The work equals that of the engine's HTTP port; no card number goes
// further.
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
  /**
   * Returns the authorization request in a well-formed message; null for a message that is not
   * decided here.
   */
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

/** True for a value with the shape of a network's message. */
export const isNetworkMessage = new Ajv({ strict: false }).compile<NetworkMessage>(NetworkMessage)

/** Returns the authorization request in a message that came at this moment. */
export function requestOf(
  message: NetworkMessage,
  derivation: Derivation,
  receivedAtMs: number,
): AuthorizationRequest | null {
  const { card, merchant, network_transaction_id: networkTransactionId } = message
  const { token = null, pan, cvc } = card
  const fingerprint = pan === undefined ? null : derivation.fingerprint(pan)
  // CVC and expiry come only with a number.
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
