// Step 1. Bytes from a listener → an arrival: this step verifies the network's signature or the
// link, and stamps the moment. The listener has already capped the size and copied everything that
// dies with its request.
import { type NetworkMessage, PAYMENTS_NETWORK } from '../../shared/schemas/network-message.ts'
import { type SignatureProblem, verifySignature } from '../../shared/signature.ts'
import type { Environment } from '../../shared/wire/config-records.ts'
import {
  type Arrival,
  type Line,
  type NetworkKey,
  type Refused,
  type Reply,
  refusal,
} from './line.ts'

interface Received {
  /** Milliseconds since the epoch and monotonic nanoseconds of the first byte. */
  receivedAtMs: number
  receivedNs: number
  reply: Reply
  /** The front door knows no shard for the card. */
  unlocated?: boolean
}

/** Bytes with their signature. */
export interface SignedMessage extends Received {
  signature: string
  keyId: string
  body: Buffer
}

/** A message from a network's link: the object that JSON would give, and the key of the link. */
export interface LinkedMessage extends Received {
  linkKeyId: string
  wire: unknown
}

/** A message of the network of payments, from our own api over the control socket. */
export interface PaymentsMessage extends Received {
  environment: Environment
  wire: NetworkMessage
  /** By the tenant's clock; null except for an authorization. */
  holdExpiresAtMs: number | null
}

export type RawMessage = SignedMessage | LinkedMessage | PaymentsMessage

/**
 * Returns the arrival, or 401. With a key id only that key counts; without one, any key of any
 * network.
 */
export function receive(line: Line, raw: RawMessage): Arrival | Refused {
  if ('environment' in raw) return arrivalOf(raw, paymentsKey(raw.environment))
  return 'linkKeyId' in raw ? receiveLinked(line, raw) : receiveSigned(line, raw)
}

/** The control socket is the credential. */
function paymentsKey(environment: Environment): NetworkKey {
  return { id: '', network: PAYMENTS_NETWORK, environment, secret: '' }
}

/** A revoked key also revokes its links. */
function receiveLinked(line: Line, raw: LinkedMessage): Arrival | Refused {
  for (const key of line.secrets.networkKeys()) {
    if (key.id === raw.linkKeyId) return arrivalOf(raw, key)
  }
  return refusal('invalid_credential')
}

function receiveSigned(line: Line, raw: SignedMessage): Arrival | Refused {
  const nowS = Math.floor(raw.receivedAtMs / 1000)
  let problem: SignatureProblem = 'invalid_signature'
  for (const key of line.secrets.networkKeys()) {
    if (raw.keyId !== '' && raw.keyId !== key.id) continue
    const found = verifySignature({
      header: raw.signature,
      body: raw.body,
      secrets: [key.secret],
      nowS,
    })
    if (found === null) return arrivalOf(raw, key)
    if (found !== 'invalid_signature') problem = found
  }
  return refusal(raw.signature === '' ? 'malformed_header' : problem)
}

function arrivalOf(raw: RawMessage, networkKey: NetworkKey): Arrival {
  return {
    receivedAtMs: raw.receivedAtMs,
    receivedNs: raw.receivedNs,
    networkKey,
    reply: raw.reply,
    unlocated: raw.unlocated === true,
  }
}
