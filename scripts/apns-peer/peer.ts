// The push service of the sandbox: Apple's protocol for providers, HTTP/2 with a client
// certificate, and a private protocol through which simulated devices receive their pushes, as
// telephones have one. It is an outside party that knows nothing of the service. Its state lives in
// memory.
import {
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Clock } from '../../shared/clock.ts'
import { Devices } from './devices.ts'
import { storyAnswer } from './stories.ts'

const PAYLOAD_BYTES_MAX = 4096
const STREAMS_MAX = 500
const PROVIDER_PATH = /^\/3\/device\/([0-9a-f]{2,200})$/
const DEVICE_PATH = /^\/devices\/([0-9a-f]{64})$/

export interface PushPeerOptions {
  /** 0: any free port. */
  port: number
  /** PEM texts of its own certificate and key. */
  certificate: string
  key: string
  /** PEM certificate that signs the certificates of pass types. */
  authority: string
  clock: Clock
}

export interface PushPeer {
  url: string
  /** Accepted pushes, over all devices. */
  taken(): number
  /** Open connections. */
  connections(): number
  /** Ends the open connections, as a deploy of the real service does. */
  dropConnections(): void
  close(): Promise<void>
}

interface Answer {
  status: number
  body?: object
  headers?: { readonly [name: string]: string }
}

/** Listens on loopback; rejects if the port is taken. */
export async function startPushPeer(options: PushPeerOptions): Promise<PushPeer> {
  const { port, certificate, key, authority, clock } = options
  const devices = new Devices(clock)
  const sessions = new Set<ServerHttp2Session>()
  const server = createSecureServer({
    cert: certificate,
    key,
    ca: authority,
    // Devices have no certificate of ours; a provider must show one when it pushes.
    requestCert: true,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
    settings: { maxConcurrentStreams: STREAMS_MAX },
  })
  server.on('session', (session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
  })
  server.on('sessionError', () => {})
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {})
    void answer(devices, stream, headers).then((given) => respond(stream, given))
  })
  await listen(server, port)
  const dropConnections = (): void => {
    for (const session of sessions) session.destroy()
  }
  return {
    url: 'https://127.0.0.1:' + (server.address() as AddressInfo).port,
    taken: () => devices.taken,
    connections: () => sessions.size,
    dropConnections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        dropConnections()
      }),
  }
}

function listen(server: Http2SecureServer, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => resolve())
  })
}

function respond(stream: ServerHttp2Stream, { status, body, headers }: Answer): void {
  if (stream.destroyed) return
  stream.respond({ ':status': status, 'content-type': 'application/json', ...headers })
  stream.end(body === undefined ? '' : JSON.stringify(body))
}

async function answer(
  devices: Devices,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
): Promise<Answer> {
  const [method, path = ''] = [headers[':method'], headers[':path']]
  const pushed = PROVIDER_PATH.exec(path)?.[1]
  if (pushed !== undefined) {
    const payload = await read(stream)
    if (method !== 'POST') return refusal(405, 'MethodNotAllowed')
    return refusalOf(stream, headers, payload) ?? push(devices, pushed)
  }
  if (path === '/devices' && method === 'POST')
    return { status: 201, body: { token: devices.add() } }
  const token = DEVICE_PATH.exec(path)?.[1]
  if (token === undefined) return refusal(404, 'BadPath')
  if (method === 'DELETE') {
    devices.remove(token)
    return { status: 200 }
  }
  return method === 'GET' ? heard(devices, token) : refusal(405, 'MethodNotAllowed')
}

/** Returns Apple's answer to a provider that may not push this, or null. */
function refusalOf(
  { session }: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  payload: string | null,
): Answer | null {
  const socket = session?.socket as TLSSocket | undefined
  if (socket?.authorized !== true) return refusal(403, 'BadCertificate')
  const topic = headers['apns-topic']
  if (topic === undefined) return refusal(400, 'MissingTopic')
  // The certificate's owner is the pass type.
  const { UID: owner } = socket.getPeerCertificate().subject as { UID?: string }
  if (topic !== owner) return refusal(400, 'TopicDisallowed')
  if (payload === null) return refusal(413, 'PayloadTooLarge')
  return isObject(payload) ? null : refusal(400, 'PayloadEmpty')
}

function push(devices: Devices, token: string): Answer {
  if (devices.gone(token)) return refusal(410, 'Unregistered')
  const told = storyAnswer(token, devices.tried(token))
  if (told === null) {
    devices.push(token)
    return { status: 200 }
  }
  const { status, reason, retryAfterS } = told
  const headers = retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) }
  return { ...refusal(status, reason), headers }
}

async function heard(devices: Devices, token: string): Promise<Answer> {
  const pushes = await devices.hear(token)
  return { status: 200, body: { pushes } }
}

function refusal(status: number, reason: string): Answer {
  return { status, body: { reason } }
}

/** Null if the body is too large for a push. */
async function read(stream: ServerHttp2Stream): Promise<string | null> {
  let text = ''
  try {
    for await (const part of stream as AsyncIterable<Buffer>) {
      text += part.toString('utf8')
      if (text.length > PAYLOAD_BYTES_MAX) return null
    }
  } catch {
    return ''
  }
  return text
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null
  } catch {
    return false
  }
}
