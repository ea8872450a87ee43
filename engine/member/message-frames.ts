// The frames between a front door and the owner of a shard: many messages over one connection, in
// any order of answers. Both sides import them from here.
//
// message: u32 length of the rest | u32 id | u16 age in ms, its highest bit set where the door knows
// no shard for the card, the next one where it came over a link of ISO 8583 | u16 signature |
// u8 key id | the bytes of signature, key id and body
// answer:  u32 length of the rest | u32 id | u16 status | body (all little-endian)
import { NETWORK_BODY_BYTES_MAX } from '../../shared/limits.ts'

const LENGTH_BYTES = 4
const MESSAGE_HEAD_BYTES = 9
const ANSWER_HEAD_BYTES = 6
/** An HTTP head is smaller than this. */
const TEXT_BYTES_MAX = 4096
const FRAME_BYTES_MAX = MESSAGE_HEAD_BYTES + 2 * TEXT_BYTES_MAX + NETWORK_BODY_BYTES_MAX
const KEY_ID_BYTES_MAX = 255
const AGE_MS_MAX = 16_383
/** Beside the age, which is far below it. */
const UNLOCATED_BIT = 0x8000
const LINKED_BIT = 0x4000

export interface MessageFrame {
  id: number
  /** Milliseconds since the first byte of the message reached the door. */
  ageMs: number
  /** The door knows no shard for the card. */
  unlocated: boolean
  /** The message came over a link that the door knows; its body is the message as JSON. */
  linked: boolean
  signature: string
  keyId: string
  body: Buffer
}

export interface AnswerFrame {
  id: number
  status: number
  body: string
}

/** The bytes of a message; its key id must have at most 255 bytes. */
export function encodeMessage(message: MessageFrame): Buffer {
  const { id, ageMs, unlocated, linked, signature, keyId, body } = message
  const texts = Buffer.from(signature + keyId, 'latin1')
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + MESSAGE_HEAD_BYTES + texts.length + body.length)
  frame.writeUInt32LE(frame.length - LENGTH_BYTES, 0)
  frame.writeUInt32LE(id, 4)
  const age = Math.min(AGE_MS_MAX, Math.max(0, Math.round(ageMs)))
  frame.writeUInt16LE(age | (unlocated ? UNLOCATED_BIT : 0) | (linked ? LINKED_BIT : 0), 8)
  frame.writeUInt16LE(signature.length, 10)
  frame.writeUInt8(keyId.length, 12)
  frame.set(texts, LENGTH_BYTES + MESSAGE_HEAD_BYTES)
  frame.set(body, LENGTH_BYTES + MESSAGE_HEAD_BYTES + texts.length)
  return frame
}

/** True where a frame can carry the texts of a message. */
export function fitsFrame(signature: string, keyId: string): boolean {
  return keyId.length <= KEY_ID_BYTES_MAX && signature.length <= TEXT_BYTES_MAX
}

/** Reads the rest of a message's frame; null where it is none. The body is a copy. */
export function readMessage(frame: Buffer): MessageFrame | null {
  if (frame.length < MESSAGE_HEAD_BYTES) return null
  const signatureEnd = MESSAGE_HEAD_BYTES + frame.readUInt16LE(6)
  const keyEnd = signatureEnd + frame.readUInt8(8)
  if (keyEnd > frame.length || frame.length - keyEnd > NETWORK_BODY_BYTES_MAX) return null
  return {
    id: frame.readUInt32LE(0),
    ageMs: frame.readUInt16LE(4) & AGE_MS_MAX,
    unlocated: (frame.readUInt16LE(4) & UNLOCATED_BIT) !== 0,
    linked: (frame.readUInt16LE(4) & LINKED_BIT) !== 0,
    signature: frame.toString('latin1', MESSAGE_HEAD_BYTES, signatureEnd),
    keyId: frame.toString('latin1', signatureEnd, keyEnd),
    body: Buffer.from(frame.subarray(keyEnd)),
  }
}

/** The bytes of an answer. */
export function encodeAnswer({ id, status, body }: AnswerFrame): Buffer {
  const bytes = Buffer.byteLength(body)
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + ANSWER_HEAD_BYTES + bytes)
  frame.writeUInt32LE(frame.length - LENGTH_BYTES, 0)
  frame.writeUInt32LE(id, 4)
  frame.writeUInt16LE(status, 8)
  frame.write(body, LENGTH_BYTES + ANSWER_HEAD_BYTES)
  return frame
}

/** Reads the rest of an answer's frame; null where it is none. */
export function readAnswer(frame: Buffer): AnswerFrame | null {
  if (frame.length < ANSWER_HEAD_BYTES) return null
  const body = frame.toString('utf8', ANSWER_HEAD_BYTES)
  return { id: frame.readUInt32LE(0), status: frame.readUInt16LE(4), body }
}

/** Cuts a stream of bytes into frames, wherever TCP cut it. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0)

  /**
   * Calls `take` with the rest of each whole frame, valid during the call; false where the stream
   * is no stream of frames, or `take` refused one.
   */
  push(bytes: Buffer, take: (frame: Buffer) => boolean): boolean {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    let at = 0
    while (at + LENGTH_BYTES <= all.length) {
      const length = all.readUInt32LE(at)
      if (length > FRAME_BYTES_MAX) return false
      const end = at + LENGTH_BYTES + length
      if (end > all.length) break
      if (!take(all.subarray(at + LENGTH_BYTES, end))) return false
      at = end
    }
    this.#rest = at === all.length ? Buffer.alloc(0) : Buffer.from(all.subarray(at))
    return true
  }
}
