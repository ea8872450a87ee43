// Open ISO 8583 links of a generator, each shared by many lanes with one message under way: a link
// has many messages open at once, and those of one turn leave in one write, as a network sends.
import { connect, type Socket } from 'node:net'
import { isoFrame } from '../../scripts/simulate/iso-link.ts'
import { FrameReader } from '../../shared/wire/iso8583/framing.ts'
import type { Answered, Lane } from './lane.ts'
import { READ_BUFFER, type StreamHandle, takeOver, write } from './stream.ts'

const CONTENT_BYTES_MAX = 65_535
const SIGN_ON_STAN = '000000'
const SIGN_ON = isoFrame({ mti: '0800', fields: { 7: '0101000000', 11: SIGN_ON_STAN, 70: '001' } })
const HEAD_BYTES = 2
/** Bytes of the type and of one bitmap. */
const [MTI_BYTES, BITMAP_BYTES] = [4, 8]
const ZERO = 48
/** Field 39 of an approval. */
const APPROVED = 0
/** Status of a tally for an answer with another code: the code follows. */
const REFUSED = 300

/**
 * The length of each field up to 39 that a message or an answer of a load has; below zero: that of
 * the digits in front of it.
 */
const FIXED: readonly (readonly [field: number, bytes: number])[] = [
  [2, -2],
  [3, 6],
  [4, 12],
  [7, 10],
  [11, 6],
  [12, 6],
  [13, 4],
  [32, -2],
  [37, 12],
  [38, 6],
  [39, 2],
]

/** A lane of a link: at most one message under way. */
export class LinkLane implements Lane {
  sinceMs = 0
  readonly #link: Link

  constructor(link: Link) {
    this.#link = link
  }

  send(request: Buffer, sinceMs: number): void {
    this.sinceMs = sinceMs
    this.#link.send(this, request)
  }

  close(): void {
    this.#link.close()
  }
}

/** One TCP link. */
class Link {
  readonly #port: number
  readonly #answered: Answered
  readonly #waiting = new Map<number, LinkLane>()
  #reader = new FrameReader(CONTENT_BYTES_MAX)
  #socket: Socket | null = null
  #handle: StreamHandle | null = null
  #signedOn: PromiseWithResolvers<void> | null = null
  #unsent: Buffer[] = []

  constructor(port: number, answered: Answered) {
    this.#port = port
    this.#answered = answered
  }

  /** Connects and signs on; rejects where nothing listens or the sign-on is refused. */
  open(): Promise<void> {
    const signedOn = Promise.withResolvers<void>()
    this.#signedOn = signedOn
    this.#reader = new FrameReader(CONTENT_BYTES_MAX)
    const socket = connect({ host: '127.0.0.1', port: this.#port, noDelay: true })
    this.#socket = socket
    socket.once('error', signedOn.reject)
    socket.once('connect', () => {
      const handle = takeOver(socket, (bytes) => this.#read(bytes))
      this.#handle = handle
      write(handle, SIGN_ON)
    })
    return signedOn.promise
  }

  /** The messages of one turn leave together. */
  send(lane: LinkLane, request: Buffer): void {
    this.#waiting.set(stanIn(request, HEAD_BYTES), lane)
    if (this.#unsent.push(request) === 1) process.nextTick(() => this.#flush())
  }

  /** Messages under way are abandoned. */
  close(): void {
    this.#waiting.clear()
    this.#socket?.destroy()
    this.#socket = null
    this.#handle = null
  }

  #flush(): void {
    const { length } = this.#unsent
    const bytes = length === 1 ? this.#unsent[0] : Buffer.concat(this.#unsent)
    this.#unsent = []
    if (bytes === undefined || this.#handle === null || !write(this.#handle, bytes)) this.#break()
  }

  #read(count: number): void {
    if (count < 0) return this.#break()
    const whole = this.#reader.read(READ_BUFFER.subarray(0, count), (answer) => this.#take(answer))
    if (!whole) this.#break()
  }

  #take(answer: Buffer): void {
    if (this.#signedOn !== null) {
      const { resolve, reject } = this.#signedOn
      this.#signedOn = null
      return codeIn(answer) === APPROVED ? resolve() : reject(new Error('the sign-on is refused'))
    }
    const stan = stanIn(answer, 0)
    const lane = this.#waiting.get(stan)
    // An answer without a message.
    if (lane === undefined) return this.#break()
    this.#waiting.delete(stan)
    const code = codeIn(answer)
    this.#answered(lane, code === APPROVED ? 200 : REFUSED + code)
  }

  /** Messages under way have no answer; the next ones need another link. */
  #break(): void {
    this.#signedOn?.reject(new Error('the link ended before its sign-on'))
    const broken = [...this.#waiting.values()]
    if (this.#handle === null || broken.length === 0) return this.close()
    this.close()
    const answerAll = (): void => {
      for (const lane of broken) this.#answered(lane, 0)
    }
    setImmediate(() => this.open().then(answerAll, answerAll))
  }
}

/** Opens so many lanes over so many links; neighbours are on different links. */
export async function openLinkLanes(
  { port, links, lanes }: { port: number; links: number; lanes: number },
  answered: Answered,
): Promise<Lane[]> {
  const all = Array.from({ length: links }, () => new Link(port, answered))
  await Promise.all(all.map((link) => link.open()))
  return Array.from({ length: lanes }, (_, at) => new LinkLane(all[at % links] as Link))
}

/** The STAN (field 11) of a message. */
export function stanIn(bytes: Uint8Array, from: number): number {
  return numberIn(bytes, from, 11)
}

/** The response code (field 39) of an answer; codes with letters are no number. */
export function codeIn(bytes: Uint8Array): number {
  return numberIn(bytes, 0, 39)
}

function numberIn(bytes: Uint8Array, from: number, wanted: number): number {
  const bitmapAt = from + MTI_BYTES
  const second = hasBit(bytes, bitmapAt, 1)
  let at = bitmapAt + (second ? 2 * BITMAP_BYTES : BITMAP_BYTES)
  for (const [field, length] of FIXED) {
    if (!hasBit(bytes, bitmapAt, field)) continue
    if (field === wanted) return digits(bytes, at, length)
    at += length > 0 ? length : -length + digits(bytes, at, -length)
  }
  return Number.NaN
}

function hasBit(bytes: Uint8Array, bitmapAt: number, field: number): boolean {
  const octet = bytes[bitmapAt + ((field - 1) >> 3)] ?? 0
  return (octet & (0x80 >> ((field - 1) & 7))) !== 0
}

function digits(bytes: Uint8Array, at: number, count: number): number {
  let value = 0
  for (let index = at; index < at + count; index++) value = value * 10 + (bytes[index] ?? 0) - ZERO
  return value
}
