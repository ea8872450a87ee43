import { createServer, type ServerResponse } from 'node:http'
import { type Test, test } from 'tap'
import { type LoadOptions, runLoad } from '../../scripts/simulate/load.ts'
import { sleep, systemClock, unixSeconds } from '../../shared/clock.ts'
import { verifySignature } from '../../shared/signature.ts'
import { FAKE_CARD } from '../fakes/yes-service.ts'

const CREDENTIALS = { key_id: 'nkey_1', secret: 'nsec_test' }

interface Received {
  id: string
  /** Number from 0, in order of arrival. */
  number: number
  amountCents: number
  signatureProblem: string | null
}

type Answer = (received: Received, response: ServerResponse) => void | Promise<void>

function approve(received: Received, response: ServerResponse): void {
  const body = JSON.stringify({
    message_id: received.id,
    transaction_id: 'txn_' + received.number,
    approved: true,
    approved_amount_cents: received.amountCents,
    response_code: '00',
    authorization_code: '123456',
    decline_reason: null,
    decided_by: 'static_controls',
    stand_in: false,
  })
  response.writeHead(200, { 'content-length': Buffer.byteLength(body) }).end(body)
}

/** A server that answers every message at once by default. */
async function constantServer(t: Test, answer: Answer) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const message = JSON.parse(body.toString())
    const one: Received = {
      id: message.id,
      number: received.length,
      amountCents: message.amount_cents,
      signatureProblem: verifySignature({
        header: String(request.headers['svc-signature']),
        body,
        secrets: [CREDENTIALS.secret],
        nowS: unixSeconds(systemClock.nowMs()),
      }),
    }
    received.push(one)
    await answer(one, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const load = (options: Partial<LoadOptions>, signal = new AbortController().signal) =>
    runLoad({
      target: { host: '127.0.0.1', port },
      credentials: CREDENTIALS,
      plainCards: [FAKE_CARD],
      realtimeCards: [FAKE_CARD],
      options: { ratePerS: 500, seconds: 1, connections: 8, realtimeShare: 0, ...options },
      clock: systemClock,
      onProgress: () => undefined,
      signal,
    })
  return { received, load }
}

test('every message of the schedule is sent once, signed, and answered', async (t) => {
  const { received, load } = await constantServer(t, approve)
  const report = await load({ realtimeShare: 0.25 })
  t.same(report.mismatches, { count: 0, examples: [] })
  t.equal(report.sent, 500)
  t.equal(report.answered, 500)
  t.equal(report.latency.with_tenant.count, 125)
  t.equal(report.latency.without_tenant.count, 375)
  t.equal(new Set(received.map(({ id }) => id)).size, 500)
  t.same(
    received.filter(({ signatureProblem }) => signatureProblem !== null),
    [],
  )
  t.ok(report.achieved_per_s > 400, 'the rate is kept: ' + report.achieved_per_s)
})

test('a stall counts for every message it delayed, not only for the one that met it', async (t) => {
  const stallMs = 400
  const { load } = await constantServer(t, async (received, response) => {
    if (received.number === 40) await sleep(stallMs)
    approve(received, response)
  })
  // One connection: while one message stalls, eighty others fall due behind it.
  const report = await load({ ratePerS: 200, connections: 1 })
  t.equal(report.mismatches.count, 0)
  const { max_ms, p90_ms, p50_ms } = report.latency.all
  t.ok(max_ms >= stallMs, 'the message itself: ' + max_ms)
  t.ok(p90_ms >= stallMs / 2, 'those behind it: ' + p90_ms)
  t.ok(p50_ms < p90_ms, 'not the others: ' + p50_ms)
})

test('wrong answers, refusals and broken connections are counted and named', async (t) => {
  const { load } = await constantServer(t, (received, response) => {
    if (received.number === 10) return approve({ ...received, id: 'msg_other' }, response)
    if (received.number === 20) return approve({ ...received, amountCents: 1 }, response)
    if (received.number === 30) return void response.socket?.destroy()
    if (received.number === 40) {
      response.writeHead(503, { 'content-length': 31 }).end('{"error":{"code":"overloaded"}}')
      return
    }
    return approve(received, response)
  })
  const { mismatches, outcomes, answered } = await load({})
  t.equal(answered, 500, 'the load goes on')
  t.equal(mismatches.count, 4)
  const said = mismatches.examples.join('\n')
  t.match(said, /the answer is for message msg_other/)
  t.match(said, /approved 1 of 100/)
  t.match(said, /no answer/)
  t.match(said, /HTTP 503 overloaded/)
  t.ok(outcomes.some(({ outcome, unexpected }) => unexpected && outcome.includes('503')))
})

test('an interrupted load reports what it sent', async (t) => {
  const interrupted = new AbortController()
  const { load } = await constantServer(t, (received, response) => {
    if (received.number === 50) interrupted.abort()
    approve(received, response)
  })
  const report = await load({ seconds: 60 }, interrupted.signal)
  t.ok(report.sent >= 51 && report.sent < 30_000)
  t.equal(report.answered, report.sent)
})
