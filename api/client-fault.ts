// Requests that are not HTTP, too slow or too large in their headers: refused on the bare socket, in the same shape.
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock } from '../shared/clock.ts'
import type { ErrorCode } from '../shared/error-catalog.ts'
import { API_VERSION } from '../shared/event-catalog.ts'
import { newId } from '../shared/id.ts'
import { Refusal, refusalAnswer } from './refuse.ts'

const CODES: { readonly [code: string]: ErrorCode } = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
}

export function answerClientFault(clock: Clock) {
  return (error: Error & { code?: string }, socket: Duplex): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    socket.end(
      faultText(CODES[error.code ?? ''] ?? 'malformed_request', newId('req', clock.nowMs())),
    )
  }
}

function faultText(code: ErrorCode, requestId: string): string {
  const answer = refusalAnswer(new Refusal(code), requestId)
  const body = JSON.stringify(answer.body)
  const lines = [
    'HTTP/1.1 ' + answer.status + ' ' + STATUS_CODES[answer.status],
    'Content-Type: application/json; charset=utf-8',
    'Content-Length: ' + Buffer.byteLength(body),
    'Request-Id: ' + requestId,
    'Svc-Version: ' + API_VERSION,
    'Connection: close',
  ]
  return lines.join('\r\n') + '\r\n\r\n' + body
}
