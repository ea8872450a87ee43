// Probes that the tenant must answer: every form of a real authorization request.
import type { Bench, Probe } from './bench.ts'
import type { ProbeReply } from './call.ts'
import { answered, answerIn, type Observation, shown } from './observe.ts'
import { type ProbeRequest, withHeaders } from './signed-request.ts'

const LARGE_BYTES = 64 * 1024
const PARALLEL_CALLS = 20
const KEPT_CALLS = 3
/** A slow network delivers the body in pieces: their number, and the delay of each. */
const PIECES = 8
const PIECE_PAUSE_MS = 50

const ANSWER = 'HTTP 2xx and a JSON object with a boolean approve, within the budget'

/** Every authorization request that a tenant must answer. */
export const GOOD_REQUESTS: readonly Probe[] = [
  answering('question', 'a purchase of 12.01 USD', (bench) => bench.ask(bench.request(1201))),
  answering('question_large_amount', 'a purchase of 99,999.51 USD', (bench) =>
    bench.ask(bench.request(9_999_951)),
  ),
  answering('question_without_decimals', 'a purchase of 1202 JPY', (bench) =>
    bench.ask(bench.request(1202, { currency: 'JPY' })),
  ),
  answering('question_incremental', 'an increment of 12.03 USD', (bench) =>
    bench.ask(bench.request(1203, { kind: 'incremental' })),
  ),
  answering('question_verification', 'an account verification, amount 0', (bench) =>
    bench.ask(bench.request(0, { kind: 'account_verification' })),
  ),
  answering('question_inquiry', 'a balance inquiry, amount 0', (bench) =>
    bench.ask(bench.request(0, { kind: 'balance_inquiry' })),
  ),
  answering('question_cash', 'a cash withdrawal of 12.06 USD', (bench) =>
    bench.ask(bench.request(1206, { transactionType: 'cash_withdrawal' })),
  ),
  answering('unknown_fields', 'fields that no version of the API has yet', (bench) => {
    const request = bench.request(1207)
    const { transaction } = request.data
    const data = { ...request.data, transaction: { ...transaction, added_later: { at: 1 } } }
    return bench.sign(request.id, JSON.stringify({ ...request, data, added_later: [true] }))
  }),
  answering('large_body', 'a question of 64 KB', (bench) => {
    const request = bench.request(1208)
    const metadata = { note: 'x'.repeat(LARGE_BYTES) }
    const transaction = { ...request.data.transaction, metadata }
    return bench.sign(request.id, JSON.stringify({ ...request, data: { transaction } }))
  }),
  answering('exact_bytes', 'JSON with white space, signed as it stands', (bench) => {
    const request = bench.request(1209)
    return bench.sign(request.id, JSON.stringify(request, null, 2) + '\n')
  }),
  answering('two_signatures', 'a signature by another secret before the right one', (bench) => {
    const { strangerSecret, secrets } = bench.parts
    const request = bench.request(1210)
    const both = [strangerSecret, ...secrets]
    return bench.sign(request.id, JSON.stringify(request), { secrets: both })
  }),
  answering('unknown_scheme', 'a signature of an unknown scheme beside the right one', (bench) => {
    const request = bench.ask(bench.request(1211))
    const { 'svc-signature': ours = '', 'webhook-signature': standard = '' } = request.headers
    return withHeaders(request, {
      'svc-signature': ours + ',v9=' + 'ab'.repeat(40),
      'webhook-signature': standard + ' v9,' + 'ab'.repeat(40),
    })
  }),
  answering('slow_network', 'the body in pieces over 0.4 seconds', (bench) => ({
    ...bench.ask(bench.request(1212)),
    pieces: PIECES,
    pauseMs: PIECE_PAUSE_MS,
  })),
  {
    name: 'repeated_request',
    sent: 'the same question twice, with one id',
    expected: 'the same answer both times',
    observe: repeated,
  },
  {
    name: 'parallel_calls',
    sent: PARALLEL_CALLS + ' questions at once',
    expected: ANSWER + ', each of them',
    observe: parallel,
  },
  {
    name: 'keep_alive',
    sent: KEPT_CALLS + ' questions after one another',
    expected: 'answers on one connection',
    observe: kept,
  },
]

function answering(name: string, sent: string, make: (bench: Bench) => ProbeRequest): Probe {
  return {
    name,
    sent,
    expected: ANSWER,
    observe: async (bench) => answered(await bench.parts.caller.call(bench.parts.url, make(bench))),
  }
}

async function repeated(bench: Bench): Promise<Observation> {
  const { caller, url } = bench.parts
  const request = bench.ask(bench.request(1213))
  const first = await caller.call(url, request)
  const second = await caller.call(url, request)
  const [one, two] = [answerIn(first), answerIn(second)]
  return {
    got: shown(first) + '; then ' + shown(second),
    passed: one !== null && two !== null && one.text === two.text,
    latencyMs: Math.max(first.latencyMs, second.latencyMs),
  }
}

async function parallel(bench: Bench): Promise<Observation> {
  const { caller, url } = bench.parts
  const replies = await Promise.all(
    Array.from({ length: PARALLEL_CALLS }, () => caller.call(url, bench.ask(bench.request(1214)))),
  )
  return together(replies)
}

async function kept(bench: Bench): Promise<Observation> {
  const caller = bench.parts.openFreshCaller()
  try {
    const replies: ProbeReply[] = []
    for (let turn = 0; turn < KEPT_CALLS; turn++)
      replies.push(await caller.call(bench.parts.url, bench.ask(bench.request(1215))))
    const seen = together(replies)
    const { connections } = caller
    return {
      ...seen,
      got: seen.got + ', ' + connections + (connections === 1 ? ' connection' : ' connections'),
      passed: seen.passed && connections === 1,
    }
  } finally {
    await caller.close()
  }
}

/** Combines several replies: passed if all are answers, otherwise the first that is none. */
function together(replies: readonly ProbeReply[]): Observation {
  const bad = replies.filter((reply) => answerIn(reply) === null)
  const [first] = bad
  const count = replies.length - bad.length + ' of ' + replies.length + ' answered'
  return {
    got: first === undefined ? count : count + '; ' + shown(first),
    passed: bad.length === 0,
    latencyMs: Math.max(...replies.map(({ latencyMs }) => latencyMs)),
  }
}
