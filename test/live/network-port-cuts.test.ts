// TCP may cut a message anywhere: every position in a message, on both of the engine's ports,
// without and with TLS, in two pieces and byte by byte.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type Test, test } from 'tap'
import type { Tls } from '../../engine/listeners/tls.ts'
import { sleep } from '../../shared/clock.ts'
import { decodeMessage, encodeMessage } from '../../shared/wire/iso8583/codec.ts'
import { FrameReader, frameOf } from '../../shared/wire/iso8583/framing.ts'
import { RSA_CERTIFICATE, RSA_KEY } from '../fakes/network-certificates.ts'
import { pushConfig, startEngine, type TestEngine } from '../harness/engine.ts'
import { isoPurchase, management } from '../harness/iso-link.ts'
import { messageText, portOf, requestOf } from '../harness/raw-http.ts'
import { writeTls } from '../harness/tls-files.ts'

const SIGN_ON = frameOf(encodeMessage(management('001')) as Buffer)
/** Longer than an answer takes on a busy machine. */
const ANSWER_MS_MAX = 120_000
const TOGETHER = 32

async function engineWith(t: Test, tls: Tls | null): Promise<TestEngine> {
  const iso = { networkKeyId: 'nk_1', tls }
  const engine = await startEngine(t, tls === null ? { iso } : { tls, iso })
  await pushConfig(engine)
  return engine
}

async function dial(port: number, tls: boolean): Promise<Socket> {
  const socket = tls
    ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    : connect({ port, host: '127.0.0.1' })
  socket.setNoDelay()
  socket.on('error', () => undefined)
  await once(socket, tls ? 'secureConnect' : 'connect')
  return socket
}

/** Each piece is a separate write, with turns of the event loop between. */
async function sendPieces(socket: Socket, pieces: readonly Buffer[]): Promise<void> {
  for (const piece of pieces) {
    socket.write(piece)
    await sleep(1)
  }
}

/** The received bytes until `isWhole` or the end of the connection. */
function hear(socket: Socket, isWhole: (heard: Buffer) => boolean): Promise<Buffer> {
  return new Promise((resolve) => {
    let heard = Buffer.alloc(0)
    const end = (): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(heard)
    }
    const timer = setTimeout(end, ANSWER_MS_MAX)
    socket.on('close', end)
    socket.on('data', (bytes) => {
      heard = Buffer.concat([heard, bytes])
      if (isWhole(heard)) end()
    })
  })
}

type Send = (pieces: readonly Buffer[]) => Promise<string>

/** Names of the cuts whose answer differs from `expected`. */
async function wrongCuts(bytes: Buffer, send: Send, expected: string): Promise<string[]> {
  const cuts: [name: string, pieces: Buffer[]][] = [
    ['byte by byte', [...bytes].map((byte) => Buffer.from([byte]))],
  ]
  for (let at = 1; at < bytes.length; at++)
    cuts.push(['at ' + at, [bytes.subarray(0, at), bytes.subarray(at)]])
  const wrong: string[] = []
  const next = async (): Promise<void> => {
    for (let cut = cuts.pop(); cut !== undefined; cut = cuts.pop()) {
      const answer = await send(cut[1])
      if (answer !== expected) wrong.push(cut[0] + ': ' + answer)
    }
  }
  await Promise.all(Array.from({ length: TOGETHER }, next))
  return wrong
}

for (const kind of ['plain', 'TLS'] as const) {
  const secured = kind === 'TLS'
  test('a message is answered wherever TCP cuts it, ' + kind, async (t) => {
    const tls = secured ? writeTls(t.testdir(), { cert: RSA_CERTIFICATE, key: RSA_KEY }) : null
    const engine = await engineWith(t, tls)
    const port = portOf(engine)
    const request = Buffer.from(requestOf(messageText(), 'Connection: close\r\n'))
    const overHttp: Send = async (pieces) => {
      for (;;) {
        const socket = await dial(port, secured)
        const heard = hear(socket, () => false)
        await sendPieces(socket, pieces)
        const text = String(await heard)
        if (!text.includes('"code":"overloaded"')) return text.slice(0, 12)
      }
    }
    t.same(await wrongCuts(request, overHttp, 'HTTP/1.1 200'), [], 'HTTP')
    t.equal((await engine.entries()).length, 1, 'all of them were one message')
    const frame = frameOf(encodeMessage(isoPurchase()) as Buffer)
    const overIso: Send = async (pieces) => {
      for (;;) {
        const socket = await dial(engine.isoPort, secured)
        const codes: string[] = []
        const reader = new FrameReader(65_535)
        let read = 0
        const heard = hear(socket, (bytes) => {
          reader.read(bytes.subarray(read), (content) => {
            const answer = decodeMessage(Buffer.from(content))
            codes.push('fields' in answer ? String(answer.fields[39]) : 'unreadable')
          })
          read = bytes.length
          return codes.length === 2
        })
        await sendPieces(socket, [SIGN_ON, ...pieces])
        await heard
        if (codes.at(-1) !== '91') return codes.join()
      }
    }
    t.same(await wrongCuts(frame, overIso, '00,00'), [], 'ISO 8583')
    t.equal((await engine.entries()).length, 2)
  })
}
