// One TCP link of a card network: frames in, answers out in the order in which they become durable.
// Everything a peer can do to it has a bound: unanswered messages, unread answers, and the time it
// may be silent or slow.
import type { Socket } from 'node:net'
import type { Clock, Timer } from '../../../shared/clock.ts'
import type { ErrorCode } from '../../../shared/error-catalog.ts'
import type { Logger } from '../../../shared/log.ts'
import type { NetworkMessage } from '../../../shared/schemas/network-message.ts'
import {
  decodeMessage,
  encodeMessage,
  type FormatError,
  type IsoMessage,
} from '../../../shared/wire/iso8583/codec.ts'
import { MESSAGE_BYTES_MAX } from '../../../shared/wire/iso8583/fields.ts'
import { FrameReader, framed, HEAD_BYTES } from '../../../shared/wire/iso8583/framing.ts'
import type { LinkedMessage } from '../../line/receive.ts'
import {
  CODE_FORMAT_ERROR,
  CODE_NOT_YOURS,
  CODE_UNAVAILABLE,
  codeAnswer,
  type Echo,
  echoOf,
} from './answer.ts'
import { Backlog, type Frame } from './backlog.ts'
import type { LinkClient } from './client-key.ts'
import { LinkReply } from './link-reply.ts'
import { networkMessageOf } from './request.ts'

/** Unanswered messages of one link; the link refuses more at once. */
const OPEN_MAX = 10_000
/**
 * Bytes of answers the peer has not read; above this the link stops reading until the peer has
 * taken half.
 */
const UNSENT_BYTES_MAX = 1024 * 1024
/** Milliseconds from the first byte of a frame to its last. */
const FRAME_MS_MAX = 5000
/** Milliseconds without a byte from the peer; a live network sends an echo about every minute. */
const IDLE_MS_MAX = 300_000
/**
 * From the first moment of a link to its sign-on. An echo does not prolong it, because any peer can
 * send one.
 */
const SIGN_ON_MS_MAX = 5000
/** Milliseconds in which the peer takes no byte of its answers. */
const UNTAKEN_MS_MAX = 10_000
const WATCH_MS = 1000
const NS_PER_MS = 1e6

/** Field 70. */
const SIGN_ON = '001'
const SIGN_OFF = '002'
const ECHO_TEST = '301'
const CODE_DONE = '00'
const CODE_UNKNOWN_REQUEST = '12'

/** The surroundings of a link. */
export interface LinkWorld {
  readonly clock: Clock
  readonly log: Logger
  /** Receipt time in milliseconds; an engine's is never before a time its line has seen. */
  nowMs(): number
  authorize(raw: LinkedMessage): void
  /** Our own code failed during a decision. */
  failed(error: unknown): void
  /** The listener refused a message before the line saw it. */
  countRefusal(code: ErrorCode): void
  /** Null when ready, else the reason. */
  unready(): string | null
  /** True if the link's key is one of ours. */
  knowsKey(keyId: string): boolean
  /** The currency of a card visible to this key, or null without one. */
  cardCurrency(keyId: string, card: NetworkMessage['card']): string | null
}

export interface LinkEvents {
  /** The peer has signed on; called each time it does. */
  signedOn(): void
  /** Called once. */
  ended(): void
}

/** A link from its first byte to its end. */
export class Link {
  readonly #socket: Socket
  readonly #client: LinkClient
  readonly #world: LinkWorld
  readonly #events: LinkEvents
  readonly #reader = new FrameReader(MESSAGE_BYTES_MAX)
  readonly #backlog: Backlog
  #timer: Timer
  #signedOn = false
  /** Where the peer has signed on once, its silence is judged by the longer limit. */
  #everSignedOn = false
  readonly #openedNs: number
  #open = 0
  /** Frames of answers that leave at the end of this turn. */
  #unsent: Buffer[] = []
  #paused = false
  /** Our reason for the end of the link; empty if the peer ended it. */
  #reason = ''
  #frameAtMs = 0
  #frameNs = 0
  #heardNs: number
  #takenNs: number
  #takenBytes = 0

  constructor(socket: Socket, client: LinkClient, world: LinkWorld, events: LinkEvents) {
    this.#socket = socket
    this.#client = client
    this.#world = world
    this.#events = events
    this.#backlog = new Backlog(world.clock, (frame, tooLate) => this.#take(frame, tooLate))
    this.#openedNs = world.clock.monotonicNs()
    this.#heardNs = this.#openedNs
    this.#takenNs = this.#heardNs
    this.#timer = world.clock.after(WATCH_MS, () => this.#watch())
    socket.on('drain', () => this.#regulate())
    // The close event reports the socket's error as well.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.#reason ||= error.code ?? 'broken'
    })
    socket.on('close', () => this.#closed())
  }

  /** Takes the next bytes, which are valid until this call returns. */
  read(chunk: Buffer): void {
    const nowNs = this.#world.clock.monotonicNs()
    this.#heardNs = nowNs
    // Every frame that begins in this chunk has its moment.
    const nowMs = this.#world.nowMs()
    if (!this.#reader.midFrame) this.#stampFrame(nowMs, nowNs)
    this.#backlog.beginTurn(nowNs)
    const whole = this.#reader.read(chunk, (content) => {
      this.#backlog.add({ content, atMs: this.#frameAtMs, ns: this.#frameNs })
      this.#stampFrame(nowMs, nowNs)
    })
    if (!whole) this.end('a frame longer than any message')
    this.#regulate()
  }

  /** Ends the link: unsent answers are lost, and a repeat on another link gets the same answer. */
  end(reason: string): void {
    if (this.#socket.destroyed) return
    this.#reason ||= reason
    this.#socket.destroy()
  }

  /** Ends the link after its answers are sent. */
  leave(): void {
    this.#reason ||= 'the listener stops'
    this.#flush()
    this.#socket.destroySoon()
  }

  #closed(): void {
    this.#timer.cancel()
    this.#backlog.clear()
    this.#world.log.info(
      { network_key: this.#client.keyId, reason: this.#reason || 'peer', open: this.#open },
      'network link closed',
    )
    this.#events.ended()
  }

  /** A message is stamped with its first byte. */
  #stampFrame(nowMs: number, nowNs: number): void {
    this.#frameNs = nowNs
    this.#frameAtMs = nowMs
  }

  #take(frame: Frame, tooLate: boolean): void {
    if (this.#socket.destroyed) return
    const decoded = decodeMessage(frame.content)
    if (decoded.mti === null) return this.end('a frame without a message type')
    const echo = echoOf(decoded.mti, decoded.fields)
    // An answer of the peer gets no answer, because the exchange could go on for ever.
    if (echo === null)
      return this.#world.log.debug({ mti: decoded.mti }, 'an answer without a request')
    if ('reason' in decoded) return this.#refuseFormat(echo, decoded)
    if (decoded.mti.startsWith('08')) return this.#manage(echo, decoded)
    if (!this.#signedOn) return this.#send(codeAnswer(echo, CODE_UNAVAILABLE))
    if (tooLate || this.#open >= OPEN_MAX) return this.#refuseOverload(echo)
    this.#authorize(echo, decoded, frame)
  }

  #refuseFormat(echo: Echo, { field, reason }: FormatError): void {
    this.#world.log.debug({ field, reason }, 'format error')
    this.#refuseField(echo, field ?? 0)
  }

  #refuseField(echo: Echo, field: number): void {
    this.#world.countRefusal('parameter_invalid')
    this.#send(codeAnswer(echo, CODE_FORMAT_ERROR, field))
  }

  /** Chosen: a network above capacity hears so at once, as over HTTP, and can stand in. */
  #refuseOverload(echo: Echo): void {
    this.#world.countRefusal('overloaded')
    this.#send(codeAnswer(echo, CODE_UNAVAILABLE))
  }

  #authorize(echo: Echo, message: IsoMessage, { atMs, ns }: Frame): void {
    const wire = networkMessageOf(message, atMs)
    if ('field' in wire) return this.#refuseField(echo, wire.field)
    if (wire.kind === 'balance_inquiry')
      echo.currency = this.#world.cardCurrency(this.#client.keyId, wire.card)
    this.#open += 1
    const reply = new LinkReply(echo, (answer) => {
      this.#open -= 1
      this.#send(answer)
    })
    try {
      this.#world.authorize({
        linkKeyId: this.#client.keyId,
        wire,
        receivedAtMs: atMs,
        receivedNs: ns,
        reply,
      })
    } catch (error) {
      // An assertion failed: the engine refuses this message and stops. Wrong money is worse than
      // no money.
      reply.send(503, '')
      this.#world.failed(error)
    }
  }

  /**
   * 0800: sign on, sign off, echo. Chosen: without a sign-on every other message is answered 91, so
   * a network stands in for us.
   */
  #manage(echo: Echo, { fields }: IsoMessage): void {
    const code = fields[70]
    if (code === undefined) return this.#refuseField(echo, 70)
    if (code === SIGN_ON) return this.#send(codeAnswer(echo, this.#signOn()))
    if (code === SIGN_OFF) this.#signedOn = false
    const known = code === SIGN_OFF || code === ECHO_TEST
    this.#send(codeAnswer(echo, known ? CODE_DONE : CODE_UNKNOWN_REQUEST))
  }

  #signOn(): string {
    if (this.#world.unready() !== null) return CODE_UNAVAILABLE
    this.#signedOn = this.#world.knowsKey(this.#client.keyId)
    if (!this.#signedOn) return CODE_NOT_YOURS
    this.#everSignedOn = true
    this.#events.signedOn()
    return CODE_DONE
  }

  /** Answers of one turn leave in one write, because many become durable at once. */
  #send(answer: IsoMessage): void {
    if (this.#socket.destroyed) return
    const bytes = encodeMessage(answer, HEAD_BYTES)
    if (!Buffer.isBuffer(bytes)) {
      this.end('an answer that cannot be written')
      return this.#world.failed('field ' + bytes.field + ' of an answer ' + bytes.reason)
    }
    if (this.#unsent.push(framed(bytes)) === 1) process.nextTick(() => this.#flush())
  }

  #flush(): void {
    const frames = this.#unsent
    this.#unsent = []
    const [first] = frames
    if (first === undefined || this.#socket.destroyed) return
    this.#socket.write(frames.length === 1 ? first : Buffer.concat(frames))
  }

  /** Back-pressure: the link does not read a peer that does not take its answers. */
  #regulate(): void {
    const unsent = this.#socket.writableLength
    if (!this.#paused && unsent > UNSENT_BYTES_MAX) {
      this.#paused = true
      this.#socket.pause()
    } else if (this.#paused && unsent <= UNSENT_BYTES_MAX / 2) {
      this.#paused = false
      this.#heardNs = this.#world.clock.monotonicNs()
      this.#socket.resume()
    }
  }

  #watch(): void {
    const { clock } = this.#world
    const nowNs = clock.monotonicNs()
    const taken = this.#socket.bytesWritten - this.#socket.writableLength
    if (taken !== this.#takenBytes || this.#socket.writableLength === 0) {
      this.#takenBytes = taken
      this.#takenNs = nowNs
    }
    const pastMs = (sinceNs: number): number => (nowNs - sinceNs) / NS_PER_MS
    this.#timer = clock.after(WATCH_MS, () => this.#watch())
    if (this.#world.nowMs() > this.#client.untilMs) return this.end('the certificate ran out')
    if (pastMs(this.#takenNs) > UNTAKEN_MS_MAX) return this.end('answers are not taken')
    if (!this.#everSignedOn && pastMs(this.#openedNs) > SIGN_ON_MS_MAX)
      return this.end('no sign-on')
    if (this.#paused) return
    if (this.#reader.midFrame && pastMs(this.#frameNs) > FRAME_MS_MAX)
      return this.end('a frame that does not end')
    if (pastMs(this.#heardNs) > IDLE_MS_MAX) this.end('silence')
  }
}
