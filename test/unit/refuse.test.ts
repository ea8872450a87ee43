import { PassThrough } from 'node:stream'
import { test } from 'tap'
import { readConfig } from '../../api/config.ts'
import { readDispatcherConfig } from '../../api/dispatcher/config.ts'
import { answerClientFault } from '../../api/http/client-fault.ts'
import type { GateParts } from '../../api/http/gates/parts.ts'
import { Refusal, refusalAnswer } from '../../api/http/refusal.ts'
import { ERRORS, type ErrorCode } from '../../shared/error-catalog.ts'
import { newMasterKeyText } from '../../shared/keyring.ts'

const PARTS = {
  docsUrl: '/docs',
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

const REQUEST = { requestId: 'req_1', docsUrl: 'https://svc.test/docs' }

const CODES = Object.keys(ERRORS) as ErrorCode[]

test('every code has its status, its category and its sentence', (t) => {
  for (const code of CODES) {
    const answer = refusalAnswer(new Refusal(code), REQUEST)
    const { status, type, message } = ERRORS[code]
    t.equal(answer.status, status, code)
    const doc_url = 'https://svc.test/docs/errors#' + code
    t.same(answer.body.error, { type, code, message, param: null, request_id: 'req_1', doc_url })
    t.equal(answer.unexpected, false)
    t.equal('WWW-Authenticate' in answer.headers, status === 401)
    t.equal('Retry-After' in answer.headers, status === 503)
  }
  t.end()
})

test('errors link to our pages by full address where known, else by path', (t) => {
  const dataDir = t.testdir()
  const docsUrl = (change: { [name: string]: string }) => {
    const read = readConfig({
      DATABASE_URL: 'postgres://localhost/x',
      SVC_DATA_DIR: dataDir,
      SVC_MASTER_KEY: newMasterKeyText(),
      ...change,
    })
    return read.ok ? read.value.docsUrl : read.error
  }
  t.equal(docsUrl({}), 'http://127.0.0.1:8080/docs')
  t.equal(docsUrl({ SVC_API_HOST: '::1', SVC_API_PORT: '81' }), 'http://[::1]:81/docs')
  t.equal(docsUrl({ SVC_PUBLIC_URL: 'https://api.example/' }), 'https://api.example/docs')
  for (const host of ['0.0.0.0', '::']) {
    t.equal(docsUrl({ SVC_API_HOST: host }), '/docs', 'everywhere is no address')
    const told = { SVC_API_HOST: host, SVC_PUBLIC_URL: 'https://api.example' }
    t.equal(docsUrl(told), 'https://api.example/docs')
  }
  t.end()
})

test('the api and the dispatcher know the same address of passes', (t) => {
  const base = {
    DATABASE_URL: 'postgres://localhost/x',
    SVC_DATA_DIR: t.testdir(),
    SVC_MASTER_KEY: newMasterKeyText(),
  }
  for (const [change, url] of [
    [{}, 'http://127.0.0.1:8080'],
    [{ SVC_API_HOST: '::', SVC_API_PORT: '81' }, 'http://[::1]:81'],
    [{ SVC_PUBLIC_URL: 'https://passes.example/x/' }, 'https://passes.example/x'],
  ] as const) {
    for (const read of [readConfig, readDispatcherConfig]) {
      const config = read({ ...base, ...change })
      t.equal(config.ok && config.value.publicUrl, url)
    }
  }
  t.end()
})

test('an unforeseen error becomes internal_error without details, which go to the log', (t) => {
  for (const error of [new Error('password hunter2'), 'hunter2', null, { code: 'hunter2' }]) {
    const answer = refusalAnswer(error, REQUEST)
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

test('a reset connection is not answered', (t) => {
  const socket = new PassThrough()
  const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' })
  answerClientFault(PARTS)(reset, socket)
  t.equal(socket.destroyed, true)
  t.equal(socket.read(), null)
  t.end()
})
