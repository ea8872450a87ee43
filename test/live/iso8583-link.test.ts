// The bounds of a link, with a clock moved by hand and a line that answers on command.
import { once } from 'node:events'
import { connect } from 'node:net'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { test } from 'tap'
import type { RawMessage } from '../../engine/line/receive.ts'
import { type IsoListener, openIsoListener } from '../../engine/listeners/iso8583.ts'
import type { Clock } from '../../shared/clock.ts'
import { decodeMessage, encodeMessage } from '../../shared/wire/iso8583/codec.ts'
import { frameOf } from '../../shared/wire/iso8583/framing.ts'
import { PAN } from '../harness/engine.ts'
import { isoPurchase, management, openLink } from '../harness/iso-link.ts'
import type { Teardown } from '../harness/postgres.ts'
import { until } from '../harness/until.ts'

const START_MS = Date.UTC(2026, 10, 20, 10)

class HandClock implements Clock {
  #ms = 0
  #timers: { atMs: number; task: () => void }[] = []

  nowMs(): number {
    return START_MS + this.#ms
  }

  monotonicNs(): number {
    return this.#ms * 1e6
  }

  after(delayMs: number, task: () => void) {
    const timer = { atMs: this.#ms + delayMs, task }
    this.#timers.push(timer)
    const cancel = (): void => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
    return { cancel }
  }

  /** Advances in steps of a quarter second, so that timers set meanwhile run too. */
  move(ms: number): void {
    for (const endMs = this.#ms + ms; this.#ms < endMs; ) {
      this.#ms += 250
      const due = this.#timers.filter(({ atMs }) => atMs <= this.#ms)
      this.#timers = this.#timers.filter(({ atMs }) => atMs > this.#ms)
      for (const { task } of due) task()
    }
  }
}

interface TestListener {
  listener: IsoListener
  clock: HandClock
  /** Messages that reached the line. */
  received: RawMessage[]
  logged: string[]
  failures: unknown[]
}

async function openListener(
  t: Teardown,
  authorize?: (raw: RawMessage) => void,
): Promise<TestListener> {
  const clock = new HandClock()
  const received: RawMessage[] = []
  const logged: string[] = []
  const failures: unknown[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      logged.push(String(chunk))
      done()
    },
  })
  const opened = await openIsoListener({
    host: '127.0.0.1',
    port: 0,
    networkKeyId: 'nk_1',
    tls: null,
    allowed: [],
    clock,
    // No times in log lines, because their digits could be any.
    log: pino({ level: 'trace', base: null, timestamp: false }, sink),
    nowMs: () => clock.nowMs(),
    authorize(raw) {
      received.push(raw)
      authorize?.(raw)
    },
    failed: (error) => void failures.push(error),
    countRefusal: () => {},
    unready: () => null,
    knowsKey: () => true,
    cardCurrency: () => null,
  })
  if (!opened.ok) throw new Error(opened.error)
  const listener = opened.value
  t.teardown(() => {
    listener.close()
    listener.end()
  })
  return { listener, clock, received, logged, failures }
}

const purchase = () => frameOf(encodeMessage(isoPurchase()) as Buffer)
const resultBuffer = ({ logged }: TestListener) =>
  logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'network link closed')

function isUnavailable(answer: Buffer): boolean {
  const decoded = decodeMessage(answer)
  return 'fields' in decoded && decoded.fields[39] === '91'
}

test('a frame that does not end in five seconds ends its link, however steadily it drips', async (t) => {
  const tested = await openListener(t)
  const link = await openLink(t, tested.listener.port)
  const frame = purchase()
  for (let at = 0; at < 4; at++) {
    link.write(frame.subarray(at, at + 1))
    await new Promise((resolve) => setTimeout(resolve, 20))
    tested.clock.move(1000)
  }
  t.notOk(link.socket.closed)
  tested.clock.move(2500)
  await until(() => resultBuffer(tested).length === 1)
  t.match(resultBuffer(tested), [{ reason: 'a frame that does not end', network_key: 'nk_1' }])
  t.equal(tested.received.length, 0)
})

test('a link without input for five minutes is ended; an echo keeps it', async (t) => {
  const tested = await openListener(t)
  const silent = await openLink(t, tested.listener.port)
  const alive = await openLink(t, tested.listener.port)
  tested.clock.move(299_000)
  await alive.ask(management('301'))
  tested.clock.move(3000)
  await silent.ended
  await until(() => resultBuffer(tested).length === 1)
  t.match(await alive.ask(management('301')), { fields: { 39: '00' } })
  t.match(resultBuffer(tested), [{ reason: 'silence' }])
})

test('open messages are bounded: one beyond the bound is refused at once', async (t) => {
  const tested = await openListener(t)
  const link = await openLink(t, tested.listener.port)
  const count = 12_000
  for (let sent = 0; sent < count; sent++) link.write(purchase())
  await until(() => tested.received.length + link.answers.length - 1 === count)
  t.equal(tested.received.length, 10_000)
  t.equal(link.answers.length, 2001)
  t.ok(link.answers.slice(1).every(isUnavailable))
  for (const { reply } of tested.received) reply.send(503, '{"error":{"code":"overloaded"}}')
  await until(() => link.answers.length === 1 + count)
  t.match(await link.ask(management('301')), { fields: { 39: '00' } })
})

test('a message that waited a quarter second to be read is refused, and the link goes on', async (t) => {
  let busyMs = 250
  const tested: TestListener = await openListener(t, (raw) => {
    tested.clock.move(busyMs)
    raw.reply.send(503, '{"error":{"code":"not_ready"}}')
  })
  const link = await openLink(t, tested.listener.port)
  const many = Buffer.concat(Array.from({ length: 100 }, () => purchase()))
  link.write(many)
  await until(() => link.answers.length === 101)
  t.equal(tested.received.length, 2, 'the first, and one that had not waited too long')
  t.ok(link.answers.slice(1).every(isUnavailable))
  busyMs = 0
  link.write(many)
  await until(() => link.answers.length === 201)
  t.equal(tested.received.length, 102)
})

test('a peer that reads no answers for ten seconds is disconnected', async (t) => {
  const tested = await openListener(t)
  const link = await openLink(t, tested.listener.port)
  link.socket.pause()
  const many = Buffer.concat(
    Array.from({ length: 500 }, () => frameOf(encodeMessage(management('301')) as Buffer)),
  )
  while (link.socket.writableLength < 1024 * 1024) {
    link.write(many)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  tested.clock.move(12_000)
  await until(() => resultBuffer(tested).length === 1)
  t.match(resultBuffer(tested), [{ reason: 'answers are not taken' }])
})

test('a link beyond the bound is refused, and a closed one makes space', async (t) => {
  const tested = await openListener(t)
  const links = await Promise.all(
    Array.from({ length: 64 }, () => openLink(t, tested.listener.port)),
  )
  await t.rejects(openLink(t, tested.listener.port))
  links[0]!.close()
  await until(() => resultBuffer(tested).length === 1)
  const late = await openLink(t, tested.listener.port)
  t.match(await late.ask(management('301')), { fields: { 39: '00' } })
})

test('idle links without a sign-on block no network, and end in seconds even if they echo', async (t) => {
  const tested = await openListener(t)
  const idle = await Promise.all(
    Array.from({ length: 64 }, () => openLink(t, tested.listener.port, { signOn: false })),
  )
  const network = await openLink(t, tested.listener.port)
  t.match(await network.ask(management('301')), { fields: { 39: '00' } })
  t.match(tested.listener.slots.refused, { evicted: 1, address_full: 0 })
  tested.clock.move(3000)
  await Promise.all(idle.slice(1).map((link) => link.ask(management('301'))))
  tested.clock.move(3000)
  await Promise.all(idle.map(({ ended }) => ended))
  t.match(await network.ask(management('301')), { fields: { 39: '00' } })
  await until(() => resultBuffer(tested).length === 64)
  t.equal(resultBuffer(tested).filter(({ reason }) => reason === 'no sign-on').length, 63)
})

test('a message is stamped with the time of its first byte', async (t) => {
  const tested = await openListener(t)
  const link = await openLink(t, tested.listener.port)
  const frame = purchase()
  link.write(frame.subarray(0, 1))
  await new Promise((resolve) => setTimeout(resolve, 50))
  tested.clock.move(3000)
  link.write(Buffer.concat([frame.subarray(1), purchase()]))
  await until(() => tested.received.length === 2)
  t.same(
    tested.received.map(({ receivedAtMs, receivedNs }) => [receivedAtMs - START_MS, receivedNs]),
    [
      [0, 0],
      [3000, 3e9],
    ],
  )
})

test('a failed assertion answers 91 and stops the engine', async (t) => {
  const tested = await openListener(t, () => {
    throw new Error('impossible')
  })
  const link = await openLink(t, tested.listener.port)
  t.match(await link.ask(isoPurchase()), { fields: { 39: '91' } })
  t.match(tested.failures, [{ message: 'impossible' }])
})

test('no log line contains any part of a message, whatever is wrong with it', async (t) => {
  const tested = await openListener(t, (raw) => raw.reply.send(200, '{"response_code":"00"}'))
  const spoil = (at: number, byte: number): Buffer => {
    const frame = purchase()
    frame[at] = byte
    return frame
  }
  const card = { pan: PAN, exp_month: 12, exp_year: 2034, cvc: '987' }
  const frame = frameOf(encodeMessage(isoPurchase({ card })) as Buffer)
  const cases = [frame, spoil(14, 0x39), spoil(16, 0x78), spoil(2, 0x39), frame.subarray(0, 90)]
  for (const bytes of [...cases, Buffer.concat([Buffer.from([255, 255]), frame])]) {
    const link = await openLink(t, tested.listener.port)
    link.write(bytes)
    await new Promise((resolve) => setTimeout(resolve, 20))
    link.close()
  }
  await until(() => resultBuffer(tested).length === cases.length + 1)
  const text = tested.logged.join('')
  for (const secret of [PAN, PAN.slice(0, 8), '987', '3412'])
    t.notOk(text.includes(secret), 'not ' + secret)
})

test('a port in use is reported in a sentence', async (t) => {
  const { listener } = await openListener(t)
  const options = { host: '127.0.0.1', networkKeyId: '', tls: null, allowed: [] } as never
  t.match(await openIsoListener({ ...(options as object), port: listener.port } as never), {
    ok: false,
    error: /the ISO 8583 port 127\.0\.0\.1:\d+ cannot be opened \(EADDRINUSE\)/,
  })
  const tls = { cert: 'x', key: 'y', clientCa: null, clientRules: [] }
  t.match(await openIsoListener({ ...(options as object), port: 0, tls } as never), {
    ok: false,
    error: 'the certificate, key or authorities of the ISO 8583 port cannot be used',
  })
  const socket = connect({ port: listener.port, host: '127.0.0.1' })
  await once(socket, 'connect')
  socket.destroy()
})
