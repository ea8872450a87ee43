// The network port against random messages: every answer is a defined one, the process lives, and
// no card number leaks. SVC_FUZZ_SECONDS makes it longer; a failure prints its seed.
import { Agent, type ClientRequest, request } from 'node:http'
import { test } from 'tap'
import { systemClock } from '../../shared/clock.ts'
import { ERRORS } from '../../shared/error-catalog.ts'
import { signatureHeader } from '../../shared/signature.ts'
import { anyText } from '../harness/any-text.ts'
import { NETWORK_SECRET, newMessage, pushConfig } from '../harness/engine.ts'
import { approvesStill, filesWith, startEngineChild } from '../harness/engine-child.ts'
import { fc } from '../harness/properties.ts'

const SECONDS = Number(process.env['SVC_FUZZ_SECONDS'] ?? 4)
const CANARY = '4111111111111111'
const TOGETHER = 8
const CARD = { pan: CANARY, exp_month: 12, exp_year: 2034, cvc: '739' }

/** Fields stored unchanged: a number in them is refused only if it is the card's. */
const IDENTIFIERS = ['id', 'network_transaction_id', 'merchant.id']

/** A path in a message, and any value to put there. */
const PATHS = [
  ...Object.keys(newMessage()).map((key) => [key]),
  ...['pan', 'token', 'exp_month', 'exp_year', 'cvc', 'pin', 'x'].map((key) => ['card', key]),
  ...['id', 'name', 'mcc', 'city', 'country', 'x'].map((key) => ['merchant', key]),
  ...['billing', 'advice', 'wallet', 'three_ds', '__proto__', 'constructor', CANARY].map((key) => [
    key,
  ]),
]
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.constantFrom(null, '', 0, -1, 1.5, 2 ** 53, -0, true, [], {}, CANARY, '\ud800', '\0'),
  anyText(300),
  fc.double(),
  fc.constant('refund'),
)
const structured = fc
  .array(fc.tuple(fc.constantFrom(...PATHS), fc.option(anything, { nil: undefined })), {
    maxLength: 4,
  })
  .map((changes) => {
    const message: { [key: string]: unknown } = { ...newMessage({ card: CARD }) }
    for (const [path, chosen] of changes) {
      const [outer = '', inner] = path
      const value = chosen === CANARY && IDENTIFIERS.includes(path.join('.')) ? 'x' : chosen
      const part = message[outer]
      if (inner === undefined || typeof part !== 'object') message[outer] = value
      else message[outer] = { ...part, [inner]: value }
    }
    return Buffer.from(JSON.stringify(message))
  })

type Edit = { at: number; cut: number; put: Uint8Array }
const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat({ max: 700 }),
  cut: fc.nat({ max: 40 }),
  put: fc.oneof(
    fc.uint8Array({ maxLength: 12 }),
    fc
      .constantFrom(
        '"',
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '\\',
        '\\u0000',
        '1e400',
        '"a":1,"a":2,',
        '\ufeff',
      )
      .map((text) => Buffer.from(text)),
  ),
})
const edited = fc.array(edit, { minLength: 1, maxLength: 4 }).map((edits) =>
  edits.reduce(
    (body: Buffer, { at, cut, put }) => {
      const from = Math.min(at, body.length)
      return Buffer.concat([body.subarray(0, from), put, body.subarray(from + cut)])
    },
    Buffer.from(JSON.stringify(newMessage({ card: CARD }))),
  ),
)
const body = fc.oneof(
  structured,
  edited,
  fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
)
/** A change of the header of a valid signature. */
const header = fc.oneof(
  { weight: 8, arbitrary: fc.constant(null) },
  {
    weight: 1,
    arbitrary: fc
      .string({ unit: 'binary-ascii', maxLength: 80 })
      .map((text) => text.replaceAll(/[^ -~]/g, '')),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.nat({ max: 80 }), fc.constantFrom('', ',', '=', '0', 't=1', 'v1=', ' ')),
  },
)
const sent = fc.record({ body, header })
type Sent = { body: Buffer; header: string | [number, string] | null }

const agent = new Agent({ keepAlive: true, maxSockets: TOGETHER })

function exchange(port: number, { body, header }: Sent): Promise<{ status: number; text: string }> {
  const good = signatureHeader([NETWORK_SECRET], Math.floor(systemClock.nowMs() / 1000), body)
  const signature = Array.isArray(header)
    ? good.slice(0, header[0]) + header[1] + good.slice(header[0] + 1)
    : (header ?? good)
  return new Promise((resolve, reject) => {
    const posted: ClientRequest = request(
      {
        agent,
        port,
        path: '/v1/network/messages',
        method: 'POST',
        headers: { 'content-length': body.length, 'svc-signature': signature },
      },
      (response) => {
        let text = ''
        response.on('data', (bytes) => {
          text += bytes
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      },
    )
    posted.on('error', (error) => {
      // The server may close an idle connection just as it is reused: nothing was sent then.
      if (posted.reusedSocket && 'code' in error && error.code === 'ECONNRESET')
        exchange(port, { body, header }).then(resolve, reject)
      else reject(error)
    })
    posted.end(body)
  })
}

/** Names the fault of an answer, or null. */
function problemOf({ status, text }: { status: number; text: string }): string | null {
  if (text.includes(CANARY)) return 'the number is in the answer: ' + text
  const answer = JSON.parse(text)
  if (status === 200) return 'approved' in answer ? null : text
  const code: keyof typeof ERRORS = answer.error.code
  if (ERRORS[code]?.status !== status) return status + ' ' + text
  // A slow disk is no fault of a message.
  return status < 500 || code === 'overloaded' ? null : status + ' ' + text
}

test('every random message has a defined answer', async (t) => {
  const engine = await startEngineChild(t, { environment: { SVC_LOG_LEVEL: 'debug' } })
  t.teardown(() => agent.destroy())
  await pushConfig(engine)
  const statuses = new Map<number, number>()
  await fc.assert(
    fc.asyncProperty(
      fc.array(sent, { minLength: TOGETHER, maxLength: TOGETHER }),
      async (messages) => {
        const answers = await Promise.all(messages.map((message) => exchange(engine.port, message)))
        for (const answer of answers) {
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
          const problem = problemOf(answer)
          if (problem !== null) throw new Error(problem)
        }
      },
    ),
    { numRuns: 1_000_000, interruptAfterTimeLimit: SECONDS * 1000, markInterruptAsFailure: false },
  )
  t.comment(JSON.stringify([...statuses].sort()))
  for (const status of [200, 400, 401]) t.ok((statuses.get(status) ?? 0) > 10, status + ' was met')
  t.ok(await approvesStill(engine))
  t.same(filesWith(engine, CANARY), [])
  t.notOk(engine.output().includes(CANARY))
})
