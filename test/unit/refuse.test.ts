import { PassThrough } from 'node:stream'
import { test } from 'tap'
import { answerClientFault } from '../../api/client-fault.ts'
import type { GateParts } from '../../api/gates/parts.ts'
import { Refusal, refusalAnswer } from '../../api/refuse.ts'
import { ERRORS, type ErrorCode } from '../../shared/error-catalog.ts'

const PARTS = {
  clock: { nowMs: () => 0, after: () => ({ cancel: () => undefined }) },
  limits: {
    unauthenticated: () => ({
      resource: 'unauthenticated',
      limit: 60,
      remaining: 7,
      wholeInMs: 1500,
    }),
  },
} as unknown as GateParts

const CODES = Object.keys(ERRORS) as ErrorCode[]

test('every code becomes its status, its category and its sentence', (t) => {
  for (const code of CODES) {
    const answer = refusalAnswer(new Refusal(code), 'req_1')
    const { status, type, message } = ERRORS[code]
    t.equal(answer.status, status, code)
    const doc_url = '/docs/errors#' + code
    t.same(answer.body.error, { type, code, message, param: null, request_id: 'req_1', doc_url })
    t.equal(answer.unexpected, false)
    t.equal('WWW-Authenticate' in answer.headers, status === 401)
    t.equal('Retry-After' in answer.headers, status === 503)
  }
  t.end()
})

test('an error nobody foresaw is internal_error, says nothing of itself, and belongs in the log', (t) => {
  for (const error of [new Error('password hunter2'), 'hunter2', null, { code: 'hunter2' }]) {
    const answer = refusalAnswer(error, 'req_1')
    t.equal(answer.status, 500)
    t.equal(answer.unexpected, true)
    t.match(answer.body.error, { code: 'internal_error', request_id: 'req_1' })
    t.notMatch(JSON.stringify(answer), /hunter2/)
  }
  t.end()
})

const FAULTS: readonly [cause: string | undefined, code: ErrorCode][] = [
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request_timeout'],
  ['HPE_HEADER_OVERFLOW', 'headers_too_large'],
  ['HPE_INVALID_METHOD', 'malformed_request'],
  [undefined, 'malformed_request'],
]

for (const [cause, code] of FAULTS) {
  test(`${cause ?? 'an unnamed fault'} on the bare socket is answered ${code}`, async (t) => {
    const socket = new PassThrough()
    const error = Object.assign(new Error('fault'), cause === undefined ? {} : { code: cause })
    answerClientFault(PARTS)(error, socket)
    const text = (await socket.toArray()).join('')
    t.match(text, new RegExp('^HTTP/1.1 ' + ERRORS[code].status + ' '))
    t.match(JSON.parse(text.slice(text.indexOf('\r\n\r\n'))), { error: { code } })
    t.match(text, /^X-RateLimit-Limit: 60\r\nX-RateLimit-Remaining: 7\r\nX-RateLimit-Reset: 2\r$/m)
    t.match(text, /^X-RateLimit-Resource: unauthenticated\r$/m)
  })
}

test('a connection that was reset is not answered', (t) => {
  const socket = new PassThrough()
  const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' })
  answerClientFault(PARTS)(reset, socket)
  t.equal(socket.destroyed, true)
  t.equal(socket.read(), null)
  t.end()
})
