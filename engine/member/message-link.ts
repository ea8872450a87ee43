// The owner's side of a front door: messages come in frames over an upgraded connection of the
// member link. The age of a message moves its receipt back, so its deadline is that of the first
// byte and no clocks are compared.
import type { Duplex } from 'node:stream'
import type { Clock } from '../../shared/clock.ts'
import type { LinkedMessage, SignedMessage } from '../line/receive.ts'
import { BEAT_MS, BEATS_HEADER, LINKED_HEADER } from './link-paths.ts'
import { encodeAnswer, FrameReader, type MessageFrame, readMessage } from './message-frames.ts'

/** A door that takes no answers is cut; its messages are sent again. */
const UNTAKEN_BYTES_MAX = 16 * 1024 * 1024
/** Chosen: a door keeps no message for longer, so an older age is no age. */
const AGE_MS_MAX = 1500
const NS_PER_MS = 1e6

export interface MessageLinkOptions {
  clock: Clock
  authorize(raw: SignedMessage | LinkedMessage): void
  /** Every message of this turn was handed to the line. */
  authorized(): void
  /** Our own code failed during a decision. */
  failed(error: unknown): void
}

const ACCEPTED =
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: svc-messages\r\n' +
  LINKED_HEADER +
  ': 1\r\n'
const EMPTY_FRAME = Buffer.alloc(4)

/** A door that connected: its upgraded socket, what came with the request, and its wish. */
export interface DoorConnection {
  socket: Duplex
  head: Buffer
  /** It asks for a sign of life every BEAT_MS. */
  beats: boolean
}

/** Takes the messages of a door until the connection ends. */
export function takeMessages(
  { socket, head, beats }: DoorConnection,
  options: MessageLinkOptions,
): void {
  const { clock, authorize, authorized, failed } = options
  const reader = new FrameReader()
  const take = (frame: Buffer): boolean => {
    const message = readMessage(frame)
    const raw = message === null ? null : rawOf(clock, message, socket)
    if (raw === null) return false
    authorize(raw)
    return true
  }
  const read = (bytes: Buffer): void => {
    try {
      const whole = reader.push(bytes, take)
      authorized()
      if (!whole) socket.destroy()
    } catch (error) {
      // An assertion failed: the engine stops, and the door sends its messages to the next owner.
      socket.destroy()
      failed(error)
    }
  }
  socket.on('error', () => undefined)
  socket.on('data', read)
  socket.on('end', () => socket.destroy())
  socket.write(ACCEPTED + (beats ? BEATS_HEADER + ': 1\r\n' : '') + '\r\n')
  if (beats) beat(socket, clock)
  if (head.length > 0) read(head)
}

function beat(socket: Duplex, clock: Clock): void {
  clock.after(BEAT_MS, () => {
    if (socket.destroyed) return
    socket.write(EMPTY_FRAME)
    beat(socket, clock)
  })
}

/** Null where a door sent as a message of a link what is no JSON. */
function rawOf(
  clock: Clock,
  message: MessageFrame,
  socket: Duplex,
): SignedMessage | LinkedMessage | null {
  const { id, signature, keyId, body } = message
  const ageMs = Math.min(message.ageMs, AGE_MS_MAX)
  const received = {
    receivedAtMs: clock.nowMs() - ageMs,
    receivedNs: clock.monotonicNs() - ageMs * NS_PER_MS,
    unlocated: message.unlocated,
    reply: {
      send(status: number, text: string) {
        if (socket.destroyed) return
        socket.write(encodeAnswer({ id, status, body: text }))
        if (socket.writableLength > UNTAKEN_BYTES_MAX) socket.destroy()
      },
    },
  }
  if (!message.linked) return { ...received, signature, keyId, body }
  // The door is one of this installation: it has checked the link's certificate and address.
  const wire = jsonOf(body)
  return wire === undefined ? null : { ...received, linkKeyId: keyId, wire }
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
