// Step 1. Raw bytes and headers → an arrival: the network's signature is verified, the moment stamped.
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

export interface RawMessage {
  signature: string
  keyId: string
  body: Uint8Array
  /** Milliseconds since the epoch and monotonic nanoseconds of the first byte. */
  receivedAtMs: number
  receivedNs: number
  reply: Reply
}

/** The arrival, or 401. With a key id only that key counts; without one, any key of any network. */
export function receive(line: Line, raw: RawMessage): Arrival | Refused {
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
