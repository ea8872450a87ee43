// The reader of the network port compares a head with the one before on its connection. A reader
// with a past reads every request as a new reader does, wherever it is cut.

import { test } from 'tap'
import { HttpRequest } from '../../engine/listeners/http-request.ts'
import { fc } from '../harness/properties.ts'

const BODY = '{"id":"msg-1"}'

interface Usual {
  signature?: string
  length?: string
  lines?: string
  body?: string
}

/** A head as a network sends it again and again, with its body. */
function usual({ signature = 't=1,v1=00ff', length, lines = '', body = BODY }: Usual = {}): Buffer {
  const head =
    'POST /v1/network/messages HTTP/1.1\r\nHost: engine\r\nSvc-Key-Id: nk_1\r\n' +
    'Svc-Signature: ' +
    signature +
    '\r\n' +
    lines +
    'Content-Length: ' +
    (length ?? body.length) +
    '\r\n\r\n'
  return Buffer.from(head + body, 'latin1')
}

/** The outcome of the last piece, and all that the port sees of the request. */
function outcomeOf(request: HttpRequest, pieces: readonly Buffer[]): unknown {
  request.start()
  let outcome: unknown = 'incomplete'
  for (const piece of pieces) {
    // The bytes behind the piece belong to another connection.
    const shared = Buffer.concat([piece, Buffer.from('\r\n\r\nGET / HTTP/1.1\r\n')])
    outcome = request.read(shared, piece.length)
    if (outcome !== 'incomplete') break
  }
  if (outcome !== 'whole') return { outcome, duplicated: request.head.duplicated }
  const { method, path, signature, keyId, closes, end } = request.head
  const body = request.bytes.toString('latin1', end, request.end)
  return { outcome, method, path, signature, keyId, closes, body }
}

function withPast(...past: Buffer[]): HttpRequest {
  const request = new HttpRequest()
  for (const bytes of past) outcomeOf(request, [bytes])
  return request
}

function cut(bytes: Buffer, at: number): Buffer[] {
  return [bytes.subarray(0, at), bytes.subarray(at)]
}

test('a repeated head has its own signature, length and body', (t) => {
  const request = withPast(usual())
  const next = usual({ signature: 't=2,v1=ff00', body: '{"id":"msg-22"}' })
  t.match(outcomeOf(request, [next]), {
    outcome: 'whole',
    path: '/v1/network/messages',
    signature: 't=2,v1=ff00',
    keyId: 'nk_1',
    body: '{"id":"msg-22"}',
  })
  t.equal(request.bytes.length > next.length, true, 'it lies where it was read')
  t.end()
})

test('a request behind another is read alike wherever it is cut', (t) => {
  const next = usual({ signature: 't=2,v1=ff00', body: '{"id":"msg-22"}' })
  const expected = outcomeOf(new HttpRequest(), [next])
  const wrong: number[] = []
  for (let at = 1; at < next.length; at++) {
    const found = outcomeOf(withPast(usual()), cut(next, at))
    if (JSON.stringify(found) !== JSON.stringify(expected)) wrong.push(at)
  }
  t.same(wrong, [])
  const single = [...next].map((byte) => Buffer.from([byte]))
  t.same(outcomeOf(withPast(usual()), single), expected, 'byte by byte')
  t.end()
})

test('each single byte of a repeated head is judged as in a first head', (t) => {
  const before = usual()
  const wrong: string[] = []
  for (let at = 0; at < before.length - BODY.length; at++) {
    for (let byte = 0; byte < 256; byte++) {
      const changed = Buffer.from(before)
      changed[at] = byte
      const fresh = outcomeOf(new HttpRequest(), [changed])
      const found = outcomeOf(withPast(before), [changed])
      if (JSON.stringify(found) !== JSON.stringify(fresh)) wrong.push(at + ' as ' + byte)
    }
  }
  t.same(wrong, [])
  t.end()
})

test('nothing of a request stays behind in the next one', (t) => {
  const requests = [
    usual(),
    usual({ signature: 't=2,v1=ff00' }),
    usual({ signature: '' }),
    usual({ signature: 't=2, v1=ff00' }),
    usual({ body: 'x'.repeat(100) }),
    usual({ length: '017', body: BODY + '   ' }),
    usual({ length: '99999', body: '' }),
    usual({ length: '9999999999999999', body: '' }),
    usual({ length: '' }),
    usual({ length: '1x' }),
    usual({ lines: 'Connection: close\r\n' }),
    usual({ lines: 'Expect: 100-continue\r\n' }),
    usual({ lines: 'Svc-Signature: t=3\r\n' }),
    usual({ lines: 'Transfer-Encoding: chunked\r\n' }),
    usual({ lines: 'Svc-Key-Id: nk_2\r\n' }),
    Buffer.from('GET /health/live HTTP/1.1\r\nHost: engine\r\n\r\n'),
    Buffer.from('POST /v1/network/messages HTTP/1.1\r\nHost: engine\r\n\r\n'),
    Buffer.from('GET / HTTP/1.0\r\n\r\n'),
  ]
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...requests), { maxLength: 3 }),
      fc.constantFrom(...requests),
      fc.nat(),
      (past, next, place) => {
        const pieces = cut(next, 1 + (place % (next.length - 1)))
        const fresh = outcomeOf(new HttpRequest(), pieces)
        return JSON.stringify(outcomeOf(withPast(...past), pieces)) === JSON.stringify(fresh)
      },
    ),
    { numRuns: 5000 },
  )
  t.end()
})
