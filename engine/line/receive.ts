// Step 1. What a door took in → an arrival: the network's signature is verified, or its link known, the moment stamped.
// The door has already capped the size and copied what dies with its request.
import { type SignatureProblem, verifySignature } from '../../shared/signature.ts'
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
}

/** Bytes, and the signature that vouches for them. */
export interface SignedMessage extends Received {
  signature: string
  keyId: string
  body: Buffer
}

/** What came over a link that belongs to a network: the object that JSON would give, and the key the link stands for. */
export interface LinkedMessage extends Received {
  linkKeyId: string
  wire: unknown
}

export type RawMessage = SignedMessage | LinkedMessage

/** The arrival, or 401. With a key id only that key counts; without one, any key of any network. */
export function receive(line: Line, raw: RawMessage): Arrival | Refused {
  return 'linkKeyId' in raw ? receiveLinked(line, raw) : receiveSigned(line, raw)
}

/** A key that was taken back takes its links with it. */
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
  }
}
