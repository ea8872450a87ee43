// Refuses requests that are not HTTP, or whose headers are too slow or too large: on the bare
// socket, in the same shape.
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ErrorCode } from '../../shared/error-catalog.ts'
import { API_VERSION } from '../../shared/event-catalog.ts'
import { newId } from '../../shared/id.ts'
import { plainAddress } from '../../shared/peer-address.ts'
import { HTTPS_ONLY, NOSNIFF } from './gates/admit.ts'
import type { GateParts } from './gates/parts.ts'
import { limitHeaders } from './rate/answer.ts'
import { Refusal, type RefusalAnswer, refusalAnswer } from './refusal.ts'

const CODES: { readonly [code: string]: ErrorCode } = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
}

/** Milliseconds the other side has to read the refusal. */
const LINGER_MS = 1000

/** The refusal carries the rate limits too: the state of the caller's address. */
export function answerClientFault({
  clock,
  limits,
  docsUrl,
  secure,
}: Pick<GateParts, 'clock' | 'limits' | 'docsUrl' | 'secure'>) {
  const fixed = secure ? { ...NOSNIFF, ...HTTPS_ONLY } : NOSNIFF
  return (error: Error & { code?: string }, socket: Duplex): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const now = clock.nowMs()
    const answer = refusalAnswer(new Refusal(CODES[error.code ?? ''] ?? 'malformed_request'), {
      requestId: newId('req', now),
      docsUrl,
    })
    const address = 'remoteAddress' in socket ? plainAddress(String(socket.remoteAddress)) : null
    const standing = limitHeaders(limits.unauthenticated(address), now)
    socket.end(faultText(answer, { ...fixed, ...standing }))
    // No reader is left on this connection and no other timer ends it: the other side may keep it
    // open for ever.
    const cut = clock.after(LINGER_MS, () => socket.destroy())
    socket.once('close', () => cut.cancel())
  }
}

function faultText(answer: RefusalAnswer, headers: { readonly [name: string]: string }): string {
  const body = JSON.stringify(answer.body)
  const lines = [
    'HTTP/1.1 ' + answer.status + ' ' + STATUS_CODES[answer.status],
    'Content-Type: application/json; charset=utf-8',
    'Content-Length: ' + Buffer.byteLength(body),
    'Request-Id: ' + answer.body.error.request_id,
    'Svc-Version: ' + API_VERSION,
    'Connection: close',
    ...Object.entries(headers).map(([name, value]) => name + ': ' + value),
  ]
  return lines.join('\r\n') + '\r\n\r\n' + body
}
