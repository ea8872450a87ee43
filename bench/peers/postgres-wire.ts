// PostgreSQL's protocol below any driver: a connection that has one statement prepared, and its
// calls as ready bytes. The process that drives the database alone must cost less than the
// database.
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { loginOf } from './postgres-server.ts'

const PROTOCOL = 196_608
const STATEMENT = 'decide'
const AUTHENTICATION = 'R'
const FAILURE = 'E'
const READY = 'Z'
/** Kinds of AUTHENTICATION that go on. */
const SASL = 10
const SASL_CONTINUE = 11

/** Logs in and prepares the statement; the connection then waits for `callBytes`. */
export async function openWire(address: string, statement: string): Promise<Socket> {
  const { url, path } = loginOf(address)
  const { username, password, pathname } = new URL(url)
  const socket = connect({ path })
  await new Promise((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  const messages = messagesOf(socket)
  const names = ['user', username, 'database', pathname.slice(1), '']
  socket.write(framed('', Buffer.concat([int32(PROTOCOL), ...names.map(text)])))
  const scram = scramOf(password)
  await until(messages, (kind, body) => {
    if (kind !== AUTHENTICATION) return
    const step = body.readInt32BE(0)
    if (step === SASL) {
      const first = Buffer.from(scram.first)
      socket.write(framed('p', Buffer.concat([text('SCRAM-SHA-256'), int32(first.length), first])))
    } else if (step === SASL_CONTINUE)
      socket.write(framed('p', Buffer.from(scram.last(body.toString('utf8', 4)))))
  })
  const parse = Buffer.concat([text(STATEMENT), text(statement), int16(0)])
  socket.write(Buffer.concat([framed('P', parse), framed('S', Buffer.alloc(0))]))
  await until(messages, () => undefined)
  socket.removeAllListeners('data')
  return socket
}

/** One call of the prepared statement, values as texts, in a transaction of its own. */
export function callBytes(values: readonly (string | null)[]): Buffer {
  const parameters = values.flatMap((value) => {
    if (value === null) return [int32(-1)]
    const bytes = Buffer.from(value)
    return [int32(bytes.length), bytes]
  })
  const bind = [text(''), text(STATEMENT), int16(0), int16(values.length), ...parameters, int16(0)]
  return Buffer.concat([
    framed('B', Buffer.concat(bind)),
    framed('E', Buffer.concat([text(''), int32(0)])),
    framed('S', Buffer.alloc(0)),
  ])
}

const FAILURE_BYTE = FAILURE.charCodeAt(0)
const READY_BYTE = READY.charCodeAt(0)

/**
 * Whether the answer to a call that begins in `bytes` is whole: `ok`, `failed`, or `open`. A whole
 * answer ends with the bytes, because a connection has one call under way.
 */
export function answerIn(bytes: Uint8Array, length: number): 'ok' | 'failed' | 'open' {
  let failed = false
  let at = 0
  while (at + 5 <= length) {
    const kind = bytes[at]
    if (kind === READY_BYTE) return failed ? 'failed' : 'ok'
    if (kind === FAILURE_BYTE) failed = true
    at += 1 + lengthAt(bytes, at + 1)
  }
  return 'open'
}

function lengthAt(bytes: Uint8Array, at: number): number {
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at, at + 4)
  return (a << 24) | (b << 16) | (c << 8) | d
}

type Message = readonly [kind: string, body: Buffer]

/** The server's messages, one by one. */
async function* messagesOf(socket: Socket): AsyncGenerator<Message> {
  let read = Buffer.alloc(0)
  let wake: () => void = () => undefined
  socket.on('data', (bytes) => {
    read = Buffer.concat([read, bytes as Buffer])
    wake()
  })
  for (;;) {
    while (read.length >= 5 && read.length > read.readInt32BE(1)) {
      const end = 1 + read.readInt32BE(1)
      const message: Message = [read.toString('latin1', 0, 1), read.subarray(5, end)]
      read = read.subarray(end)
      yield message
    }
    await new Promise<void>((resolve) => {
      wake = resolve
    })
  }
}

/** Passes every message to `each` until the server waits for us; throws the server's error. */
async function until(
  messages: AsyncGenerator<Message>,
  each: (kind: string, body: Buffer) => void,
): Promise<void> {
  for (;;) {
    const { value } = await messages.next()
    const [kind, body] = value as Message
    if (kind === FAILURE) throw new Error('PostgreSQL: ' + body.toString().replaceAll('\0', ' '))
    if (kind === READY) return
    each(kind, body)
  }
}

/**
 * SCRAM-SHA-256 of RFC 5802 without channel binding. The server's own proof is left unread: it is
 * ours.
 */
function scramOf(password: string): { first: string; last(challenge: string): string } {
  const nonce = randomBytes(18).toString('base64')
  const bare = 'n=,r=' + nonce
  return {
    first: 'n,,' + bare,
    last(challenge) {
      const field = (name: string): string =>
        challenge
          .split(',')
          .find((part) => part.startsWith(name + '='))
          ?.slice(2) ?? ''
      const salt = Buffer.from(field('s'), 'base64')
      const salted = pbkdf2Sync(password, salt, Number(field('i')), 32, 'sha256')
      const clientKey = createHmac('sha256', salted).update('Client Key').digest()
      const storedKey = createHash('sha256').update(clientKey).digest()
      const without = 'c=biws,r=' + field('r')
      const signature = createHmac('sha256', storedKey)
        .update([bare, challenge, without].join(','))
        .digest()
      const proof = clientKey.map((byte, at) => byte ^ (signature[at] ?? 0))
      return without + ',p=' + Buffer.from(proof).toString('base64')
    },
  }
}

function framed(kind: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(kind), int32(body.length + 4), body])
}

function text(value: string): Buffer {
  return Buffer.from(value + '\0')
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}
