// A card network's end of an ISO 8583 link: sends messages, and knows each answer by its STAN.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { isoRequest } from '../../scripts/simulate/iso-request.ts'
import type { NetworkMessage } from '../../shared/schemas/network-message.ts'
import { decodeMessage, encodeMessage, type IsoMessage } from '../../shared/wire/iso8583/codec.ts'
import type { Fields } from '../../shared/wire/iso8583/fields.ts'
import { FrameReader, frameOf } from '../../shared/wire/iso8583/framing.ts'
import { newMessage } from './engine.ts'
import type { Teardown } from './postgres.ts'

const ANSWER_MS_MAX = 120_000
const CONTENT_BYTES_MAX = 65_535

export interface TestLink {
  readonly socket: Socket
  /** Every answer in the order of arrival, as bytes. */
  readonly answers: Buffer[]
  /** Sends and resolves with the answer of the same STAN; rejects when the link ends first. */
  ask(message: IsoMessage): Promise<IsoMessage>
  /** Sends without waiting for an answer. */
  tell(message: IsoMessage): void
  /** Writes any bytes. */
  write(bytes: Buffer): void
  /** Resolves when the peer has ended the link. */
  ended: Promise<void>
  close(): void
}

export interface LinkOptions {
  signOn?: boolean
  tls?: ConnectionOptions
}

let stans = 0

/** A STAN that no other message of this process has. */
export function newStan(): string {
  stans = (stans + 1) % 1_000_000
  return String(stans).padStart(6, '0')
}

/** A purchase in fields, on the test's card unless told otherwise. */
export function isoPurchase(change: Partial<NetworkMessage> = {}, fields: Fields = {}): IsoMessage {
  const trace = { stan: newStan(), acquirer: '12345678901', terminal: 'TERM0001' }
  const request = isoRequest(newMessage(change), trace)
  if (request === null) throw new Error('no kind of ISO 8583')
  return { ...request, fields: { ...request.fields, ...fields } }
}

export function management(code: string): IsoMessage {
  return { mti: '0800', fields: { 7: '1120100000', 11: newStan(), 70: code } }
}

export async function openLink(
  t: Teardown,
  port: number,
  { signOn = true, tls }: LinkOptions = {},
): Promise<TestLink> {
  const socket =
    tls === undefined
      ? connect({ port, host: '127.0.0.1', noDelay: true })
      : connectTls({ port, host: '127.0.0.1', ...tls })
  await once(socket, tls === undefined ? 'connect' : 'secureConnect')
  const link = linkOn(socket)
  t.teardown(() => socket.destroy())
  if (signOn) {
    const answer = await link.ask(management('001'))
    if (answer.fields[39] !== '00') throw new Error('sign-on: ' + answer.fields[39])
  }
  return link
}

function linkOn(socket: Socket): TestLink {
  const waiting = new Map<string, { resolve(answer: IsoMessage): void; reject(why: Error): void }>()
  const answers: Buffer[] = []
  const reader = new FrameReader(CONTENT_BYTES_MAX)
  socket.on('error', () => {})
  socket.on('data', (chunk) =>
    reader.read(chunk, (content) => {
      answers.push(Buffer.from(content))
      const answer = decodeMessage(Buffer.from(content))
      if ('reason' in answer) throw new Error('answer: ' + answer.field + ' ' + answer.reason)
      const stan = answer.fields[11] ?? ''
      waiting.get(stan)?.resolve(answer)
      waiting.delete(stan)
    }),
  )
  const ended = new Promise<void>((resolve) => {
    socket.once('close', () => {
      for (const { reject } of waiting.values()) reject(new Error('the link ended'))
      resolve()
    })
  })
  const tell = (message: IsoMessage): void => {
    const bytes = encodeMessage(message)
    if (!Buffer.isBuffer(bytes)) throw new Error(bytes.field + ' ' + bytes.reason)
    socket.write(frameOf(bytes))
  }
  return {
    socket,
    answers,
    tell,
    ended,
    ask(message) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('no answer')), ANSWER_MS_MAX)
        const ended =
          <Value>(settle: (value: Value) => void) =>
          (value: Value): void => {
            clearTimeout(timer)
            settle(value)
          }
        const stan = message.fields[11] ?? ''
        waiting.set(stan, { resolve: ended(resolve), reject: ended(reject) })
        tell(message)
      })
    },
    write: (bytes) => void socket.write(bytes),
    close: () => socket.destroy(),
  }
}
