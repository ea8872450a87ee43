// The identity provider over HTTP: `PUT` and `GET {url}/v1/verifications/{id}`, with our id, so
// that a repeat requests nothing new. Results come as signed callbacks. Live and sandbox use the
// same code; in the sandbox a process of our own plays the provider.

import type { Clock } from '../../../shared/clock.ts'
import { Type } from '../../../shared/schema-builders.ts'
import { hasShape } from '../../../shared/shape.ts'
import { type OutsideAnswer, openOutsideCaller, parsedJson } from '../../http/outside-caller.ts'
import {
  type AuthorizationRequest,
  FINDING_STATUSES,
  type Finding,
  type IdentityProvider,
} from './provider.ts'

const CALL_MS_MAX = 5000
const ANSWER_BYTES_MAX = 16 * 1024

export interface HttpProviderOptions {
  /** Without a slash at its end. */
  url: string
  /** Sent as a bearer credential. */
  key: string
  clock: Clock
  callMsMax?: number
}

export interface HttpProvider extends IdentityProvider {
  close(): Promise<void>
}

export function createHttpProvider(options: HttpProviderOptions): HttpProvider {
  const { url, key, clock, callMsMax = CALL_MS_MAX } = options
  const outside = openOutsideCaller({ clock, callMsMax, answerBytesMax: ANSWER_BYTES_MAX })
  const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' }
  /** Null: the call failed on the way, and it is unknown whether it arrived. */
  const call = async (method: 'GET' | 'PUT', id: string, body: string | null) => {
    const answer = await outside.call({
      method,
      url: url + '/v1/verifications/' + id,
      headers,
      body,
    })
    return answer.ok ? answer.value : null
  }
  return {
    ask: async (request) =>
      asked(await call('PUT', request.verificationId, JSON.stringify(bodyOf(request)))),
    look: async (verificationId) => looked(verificationId, await call('GET', verificationId, null)),
    close: outside.close,
  }
}

function bodyOf({ livemode, person }: AuthorizationRequest): object {
  return { livemode, person }
}

/**
 * Only a fault of the request itself is refused; a wrong key or address is ours to correct, and the
 * request is sent again.
 */
function asked(answer: OutsideAnswer | null): 'accepted' | 'refused' | 'unavailable' {
  if (answer === null) return 'unavailable'
  if (answer.status >= 200 && answer.status < 300) return 'accepted'
  return answer.status === 400 || answer.status === 422 ? 'refused' : 'unavailable'
}

function looked(id: string, answer: OutsideAnswer | null): Finding | 'unknown' | 'unavailable' {
  if (answer === null) return 'unavailable'
  if (answer.status === 404) return 'unknown'
  const finding = answer.status === 200 ? findingOf(answer.body) : null
  return finding === null || finding.verificationId !== id ? 'unavailable' : finding
}

const IDENTIFIER = { minLength: 1, maxLength: 128, pattern: '^[\\x21-\\x7e]+$' }

/** A result as the provider sends it; unknown fields are ignored. */
const Told = Type.Object({
  id: Type.String(IDENTIFIER),
  verification_id: Type.String(IDENTIFIER),
  sequence: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  status: Type.Enum([...FINDING_STATUSES]),
  reasons: Type.Array(
    Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000-\\u001f\\u007f]*$' }),
    { maxItems: 20 },
  ),
})

/** Reads a result in a callback or an answer; null if it is none. */
export function readFinding(bytes: Uint8Array): Finding | null {
  return findingOf(parsedJson(bytes))
}

function findingOf(told: unknown): Finding | null {
  if (!hasShape(Told, told)) return null
  const { id: eventId, verification_id: verificationId, sequence, status, reasons } = told
  if (!reasons.every((reason) => reason.isWellFormed())) return null
  return { eventId, verificationId, sequence, status, reasons }
}
