// The bench's generator against servers with every kind of answer: its counts must equal the
// answers sent.
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type Test, test } from 'tap'
import { type Pace, send } from '../../bench/generator/paces.ts'
import { makeRequests } from '../../bench/generator/requests.ts'
import { percentilesOf } from '../../bench/latency.ts'
import { echoOf } from '../../engine/listeners/iso8583/answer.ts'
import { isoFrame } from '../../scripts/simulate/iso-link.ts'
import { decodeMessage, type IsoMessage } from '../../shared/wire/iso8583/codec.ts'
import { FrameReader } from '../../shared/wire/iso8583/framing.ts'

const FULL_SPEED: Omit<Pace, 'port'> = {
  connections: 4,
  links: null,
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

/** A network's peer: signs on, answers each frame out of order, and tells how many came at once. */
async function serveLinks(t: Test, codeOf: (place: number) => string) {
  const links = new Set<Socket>()
  let place = 0
  let mostAtOnce = 0
  const server = createServer((socket) => {
    links.add(socket)
    const reader = new FrameReader(65_535)
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      const answers: Buffer[] = []
      reader.read(chunk, (content) => {
        const { mti, fields } = decodeMessage(Buffer.from(content)) as IsoMessage
        const code = mti === '0800' ? '00' : codeOf(place++)
        const echo = echoOf(mti, fields)
        if (echo === null) return void t.fail(mti)
        const answered = { ...echo.fields, 38: 'A00001', 39: code }
        answers.unshift(isoFrame({ mti: echo.mti, fields: answered }))
      })
      mostAtOnce = Math.max(mostAtOnce, answers.length)
      const bytes = Buffer.concat(answers)
      socket.write(bytes.subarray(0, 7))
      setImmediate(() => socket.write(bytes.subarray(7)))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  return { port, links, mostAtOnce: () => mostAtOnce }
}

test('links carry many messages each, and answers find theirs by STAN in any order', async (t) => {
  const cardsFile = t.testdir({}) + '/cards.json'
  const card = { pan: '9999990000000000', exp_month: 12, exp_year: 2034, cvc: '123' }
  writeFileSync(cardsFile, JSON.stringify([card, { token: 'ctok_1' }]))
  const credentials = { key_id: 'nkey_1', secret: 'nsec_1' }
  const order = { kind: 'network', count: 400, cardsFile, credentials, iso: true } as const
  const { port, links, mostAtOnce } = await serveLinks(t, (place) =>
    place % 4 === 0 ? '05' : '00',
  )
  const pace = { ...FULL_SPEED, port, connections: 32, links: 2 }
  const tally = await send(pace, makeRequests(order))
  t.same(Object.fromEntries(tally.answers), { 200: 300, 305: 100 })
  t.equal(links.size, 2)
  t.ok(mostAtOnce() > 1, mostAtOnce() + ' messages in one read')
})
