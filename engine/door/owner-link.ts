// The door's connection to the owner of one epoch: it is opened again while that owner stays, also
// where its path dies without a word.
import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import type { Duplex } from 'node:stream'
import type { Clock, Timer } from '../../shared/clock.ts'
import { parseHostPort } from '../../shared/cluster-settings.ts'
import type { MemberTls } from '../member/config.ts'
import { BEATS_HEADER, LINKED_HEADER, MEMBER_PATHS } from '../member/link-paths.ts'
import {
  type AnswerFrame,
  encodeMessage,
  FrameReader,
  type MessageFrame,
  readAnswer,
} from '../member/message-frames.ts'

const AGAIN_MS = 20
/** An owner that answers nothing for this many attempts is tried less often. */
const AGAIN_TRIES_MAX = 25
const AGAIN_MS_MAX = 200
/**
 * A member that was named the owner and does not know it yet does so within milliseconds. One that
 * takes longer is asked as one that does not answer.
 */
const NAMED_AGAIN_MS = 4
const NAMED_TRIES_MAX = 10
const CONFLICT = 409
const LOOK_MS = 50
const CONNECT_MS_MAX = 1000
/**
 * Looks in a row, at most one per turn of the event loop, at which an owner that beats was silent:
 * its path is dead. A door that stood still has read nothing, and does not blame the owner.
 */
const SILENT_LOOKS_MAX = 10
/** An owner that takes nothing is given up: what is unanswered goes out again. */
const WAITING_BYTES_MAX = 16 * 1024 * 1024

export interface DoorLinkOptions {
  clock: Clock
  tls: MemberTls | null
  authorization: string
  address: string
  onOpen(): void
  onAnswer(answer: AnswerFrame): void
  onClosed(): void
}

export class DoorLink {
  readonly #options: DoorLinkOptions
  #socket: Duplex | null = null
  #again: Timer | null = null
  #ended = false
  #takesLinked = false
  /** Attempts in a row that opened nothing. */
  #tries = 0

  constructor(options: DoorLinkOptions) {
    this.#options = options
    this.#connect()
  }

  get isOpen(): boolean {
    return this.#socket !== null
  }

  /** The owner takes messages of ISO 8583 links; a release before does not. */
  get takesLinked(): boolean {
    return this.#takesLinked
  }

  send(message: MessageFrame): void {
    const socket = this.#socket
    if (socket === null) return
    socket.write(encodeMessage(message))
    if (socket.writableLength > WAITING_BYTES_MAX) socket.destroy()
  }

  /** Ends it for good; no callback follows. */
  end(): void {
    this.#ended = true
    this.#again?.cancel()
    this.#socket?.destroy()
  }

  #connect(): void {
    const { tls, authorization, address, clock } = this.#options
    const at = address.startsWith('/') ? { socketPath: address } : parseHostPort(address)
    const later = (isNamed = false): void => {
      if (this.#ended || this.#again !== null) return
      this.#tries += 1
      this.#again = clock.after(pauseMs(this.#tries, isNamed), () => this.#retry())
    }
    if (at === null) return later()
    const headers = {
      authorization,
      connection: 'Upgrade',
      upgrade: 'svc-messages',
      [BEATS_HEADER]: '1',
    }
    const options = { ...at, path: MEMBER_PATHS.messages, headers }
    const request = tls === null ? plainRequest(options) : tlsRequest({ ...options, ...tls })
    request.setTimeout(CONNECT_MS_MAX, () => request.destroy())
    request.on('upgrade', ({ headers: answered }, socket, head) => {
      request.setTimeout(0)
      const { [BEATS_HEADER]: beats, [LINKED_HEADER]: linked } = answered
      this.#takesLinked = linked !== undefined
      this.#opened(socket, head, beats !== undefined)
    })
    request.on('response', (response) => {
      response.resume()
      later(response.statusCode === CONFLICT)
    })
    request.on('error', () => later())
    request.end()
  }

  #retry(): void {
    this.#again = null
    this.#connect()
  }

  #opened(socket: Duplex, head: Buffer, beats: boolean): void {
    const { clock, onOpen, onAnswer, onClosed } = this.#options
    if (this.#ended) return void socket.destroy()
    const reader = new FrameReader()
    let silentLooks = 0
    const listen = (): void => {
      silentLooks += 1
      if (silentLooks > SILENT_LOOKS_MAX) socket.destroy()
      else silence = clock.after(LOOK_MS, listen)
    }
    let silence: Timer | null = beats ? clock.after(LOOK_MS, listen) : null
    const read = (bytes: Buffer): void => {
      silentLooks = 0
      const whole = reader.push(bytes, (frame) => {
        if (frame.length === 0) return true
        const answer = readAnswer(frame)
        if (answer !== null && !this.#ended) onAnswer(answer)
        return answer !== null
      })
      if (!whole) socket.destroy()
    }
    socket.on('error', () => undefined)
    socket.on('data', read)
    socket.on('end', () => socket.destroy())
    socket.on('close', () => {
      silence?.cancel()
      this.#socket = null
      if (this.#ended) return
      onClosed()
      this.#again ??= clock.after(AGAIN_MS, () => this.#retry())
    })
    this.#socket = socket
    this.#tries = 0
    onOpen()
    if (head.length > 0) read(head)
  }
}

/** Milliseconds before the next attempt, after this many that opened nothing. */
function pauseMs(tries: number, isNamed: boolean): number {
  if (isNamed && tries <= NAMED_TRIES_MAX) return NAMED_AGAIN_MS
  return tries <= AGAIN_TRIES_MAX ? AGAIN_MS : AGAIN_MS_MAX
}
