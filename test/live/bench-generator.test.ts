// The bench's generator against servers with every kind of answer: its counts must equal the
// answers sent.
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type Test, test } from 'tap'
import { type Pace, send } from '../../bench/generator/paces.ts'
import { makeRequests } from '../../bench/generator/requests.ts'
import { percentilesOf } from '../../bench/latency.ts'

const FULL_SPEED: Omit<Pace, 'port'> = {
  connections: 4,
  rate: null,
  seconds: 60,
  warmSeconds: 0,
  repeats: false,
}

/** Calls back with each request's number in the order of arrival. */
async function serve(t: Test, answer: (socket: Socket, place: number) => void): Promise<number> {
  let place = 0
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', () => answer(socket, place++))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return (server.address() as AddressInfo).port
}

function answerOf(status: string, body: string, more = ''): string {
  return 'HTTP/1.1 ' + status + '\r\n' + more + 'Content-Length: ' + body.length + '\r\n\r\n' + body
}

function requests(count: number): Buffer[] {
  const request = 'GET / HTTP/1.1\r\n\r\n'
  return makeRequests({ kind: 'whole', requests: Array.from({ length: count }, () => request) })
}

test('each request is sent once, and every answer is counted by status, also in parts', async (t) => {
  const port = await serve(t, (socket, place) => {
    if (place % 3 === 0) {
      const text = answerOf('200 OK', 'in parts', 'X: y\r\n')
      socket.write(text.slice(0, 20 + (place % 40)))
      setImmediate(() => socket.write(text.slice(20 + (place % 40))))
    } else if (place % 3 === 1) socket.write(answerOf('200 OK', 'whole'.repeat(place)))
    else socket.write(answerOf('503 Service Unavailable', ''))
  })
  const tally = await send({ ...FULL_SPEED, port }, requests(300))
  t.same(Object.fromEntries(tally.answers), { 200: 200, 503: 100 })
  t.equal(tally.all, 200)
  t.equal(tally.missing, 0)
  t.equal(percentilesOf([tally.latency.encoded()]).count, 300)
})

test('a broken connection is no answer, and the next request uses another one', async (t) => {
  const port = await serve(t, (socket, place) => {
    if (place % 10 === 0) socket.destroy()
    else if (place % 10 === 1) socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
    else socket.write(answerOf('200 OK', 'x'))
  })
  const tally = await send({ ...FULL_SPEED, port }, requests(200))
  t.same(Object.fromEntries(tally.answers), { 0: 40, 200: 160 })
})

test('a fixed rate sends every due request, however late, and counts the missed ones', async (t) => {
  const port = await serve(t, (socket) => socket.write(answerOf('200 OK', 'x')))
  const pace = { ...FULL_SPEED, port, rate: 500, seconds: 0.4 }
  const whole = await send(pace, requests(300))
  t.equal(whole.answers.get(200), 200)
  t.equal(percentilesOf([whole.lateness.encoded()]).count, 200)
  const short = await send(pace, requests(50))
  t.equal(short.answers.get(200), 50)
  t.ok(short.missing > 0)
  const again = await send({ ...pace, repeats: true }, requests(50))
  t.same([again.answers.get(200), again.missing], [200, 0])
})
