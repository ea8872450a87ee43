// The network's end of an ISO 8583 link: signs on, sends many messages at once, and knows each
// answer by its STAN.
import { connect, type Socket } from 'node:net'
import { decodeMessage, encodeMessage, type IsoMessage } from '../../shared/wire/iso8583/codec.ts'
import { FrameReader, frameOf } from '../../shared/wire/iso8583/framing.ts'
import type { BrokenResponse } from './http-response.ts'

export interface IsoAddress {
  host: string
  port: number
}

export interface IsoAnswer {
  kind: 'iso'
  message: IsoMessage
  /** As they came, without the frame. */
  bytes: Buffer
}

export type IsoExchange = IsoAnswer | BrokenResponse

/** A network gives up long before this; it only keeps a run from hanging for ever. */
const ANSWER_MS_MAX = 15_000
const CONTENT_BYTES_MAX = 65_535
const SIGN_ON: IsoMessage = { mti: '0800', fields: { 7: '0101000000', 11: '000000', 70: '001' } }

export class IsoLink {
  readonly #address: IsoAddress
  readonly #waiting = new Map<string, (exchange: IsoExchange) => void>()
  #socket: Socket | null = null

  constructor(address: IsoAddress) {
    this.#address = address
  }

  /** Connects. False if nothing listens there. */
  open(): Promise<boolean> {
    const socket = connect({ ...this.#address, noDelay: true, timeout: ANSWER_MS_MAX })
    const reader = new FrameReader(CONTENT_BYTES_MAX)
    this.#socket = socket
    socket.on('timeout', () => {
      if (this.#waiting.size > 0) socket.destroy()
    })
    socket.on('data', (chunk) => {
      if (!reader.read(chunk, (content) => this.#take(Buffer.from(content)))) socket.destroy()
    })
    return new Promise((resolve) => {
      socket.once('connect', () => resolve(true))
      // The close that follows an error reports it.
      socket.on('error', () => resolve(false))
      socket.once('close', () => {
        if (this.#socket === socket) this.#socket = null
        this.#breakAll()
      })
    })
  }

  /** Connects where it has to, and signs on. */
  async signOn(): Promise<boolean> {
    if (this.#socket === null && !(await this.open())) return false
    const answer = await this.ask(SIGN_ON)
    return answer.kind === 'iso' && answer.message.fields[39] === '00'
  }

  /**
   * Sends a frame; `receive` is called once, with the answer of that STAN or when the link ends.
   */
  send(frame: Buffer, stan: string, receive: (exchange: IsoExchange) => void): void {
    if (this.#socket === null) return receive({ kind: 'broken', problem: 'the link is down' })
    this.#waiting.set(stan, receive)
    this.#socket.write(frame)
  }

  /** Throws where the message cannot be written: a scenario sends that as bytes. */
  ask(message: IsoMessage): Promise<IsoExchange> {
    const frame = isoFrame(message)
    return new Promise((resolve) => this.send(frame, message.fields[11] ?? '', resolve))
  }

  /**
   * Sends any bytes. Resolves with the first answer, whichever message it is for, or with the end
   * of the link.
   */
  askBytes(bytes: Buffer): Promise<IsoExchange> {
    return new Promise((resolve) => this.send(bytes, ANY_STAN, resolve))
  }

  close(): void {
    this.#socket?.destroy()
  }

  #take(bytes: Buffer): void {
    const message = decodeMessage(bytes)
    const stan = 'reason' in message ? ANY_STAN : (message.fields[11] ?? ANY_STAN)
    const key = this.#waiting.has(stan) ? stan : ANY_STAN
    const receive = this.#waiting.get(key)
    this.#waiting.delete(key)
    if ('reason' in message) receive?.({ kind: 'broken', problem: 'an answer that is no message' })
    else receive?.({ kind: 'iso', message, bytes })
  }

  #breakAll(): void {
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const receive of waiting) receive({ kind: 'broken', problem: 'the link ended' })
  }
}

const ANY_STAN = ''

/** The bytes of a message as they go over a link. */
export function isoFrame(message: IsoMessage): Buffer {
  const bytes = encodeMessage(message)
  if (Buffer.isBuffer(bytes)) return frameOf(bytes)
  throw new Error('field ' + bytes.field + ' of a message ' + bytes.reason)
}
