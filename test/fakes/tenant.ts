// A tenant's real-time endpoint for tests: behaves as told, request by request, and remembers what
// it was asked.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { sleep, systemClock } from '../../shared/clock.ts'
import { type SignatureProblem, verifySignature } from '../../shared/signature.ts'

export interface TenantRequest {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
  /** Null when `Svc-Signature` is right. */
  signatureProblem: SignatureProblem | null
  receivedAtMs: number
  /** Which connection it came on and which request of it this is, both from 1. */
  connection: number
  turn: number
}

export type Behaviour =
  | {
      kind: 'reply'
      status?: number
      headers?: Record<string, string>
      body?: string | Uint8Array
      afterMs?: number
    }
  /** Never answers. */
  | { kind: 'hang' }
  /** A good head, then one byte of the body at a time. */
  | { kind: 'drip'; body: string; everyMs: number }
  /**
   * RST before the first byte of a reply, or FIN where `politely`; or in the middle of the body.
   */
  | { kind: 'reset'; when: 'before_reply' | 'within_body'; politely?: boolean }
  /** These bytes as they are, then the end of the connection unless it is kept. */
  | { kind: 'raw'; bytes: string | Uint8Array; keepOpen?: boolean }
  /** Sends this many bytes as fast as they are taken. */
  | { kind: 'flood'; bytes: number }

export interface FakeTenant {
  /** With the path `/realtime`. */
  url: string
  port: number
  requests: TenantRequest[]
  /** Bytes that a flood has sent so far. */
  floodedBytes(): number
  connectionsOpened(): number
  connectionsOpen(): number
  /** Ends every connection that has no request on it, as servers do after a while. */
  closeIdle(): void
  close(): Promise<void>
}

export interface FakeTenantOptions {
  behave?: (request: TenantRequest) => Behaviour | Promise<Behaviour>
  /** Secrets to check `Svc-Signature` with. */
  secrets?: readonly string[]
  tls?: { key: string; cert: string }
  port?: number
  host?: string
}

const FLOOD_CHUNK_BYTES = 64 * 1024

export function approve(more: Record<string, unknown> = {}): Behaviour {
  return json({ approve: true, ...more })
}

export function decline(reason?: string): Behaviour {
  return json({ approve: false, ...(reason === undefined ? {} : { decline_reason: reason }) })
}

export function json(body: unknown, status = 200): Behaviour {
  const headers = { 'content-type': 'application/json' }
  return { kind: 'reply', status, headers, body: JSON.stringify(body) }
}

/**
 * Starts on a free port of the loopback interface unless told otherwise; approves unless told
 * otherwise.
 */
export async function startTenant(options: FakeTenantOptions = {}): Promise<FakeTenant> {
  const sockets = new Map<Socket, { id: number; turns: number; busy: boolean }>()
  const requests: TenantRequest[] = []
  const flood = { bytes: 0 }
  let connections = 0

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const seen = sockets.get(incoming.socket)
    if (seen === undefined) return
    seen.turns += 1
    seen.busy = true
    response.on('close', () => {
      seen.busy = false
    })
    const request = await read(incoming, seen, options.secrets ?? [])
    requests.push(request)
    const behaviour = (await options.behave?.(request)) ?? approve()
    await act(behaviour, incoming.socket, response, flood)
  }
  const listener = (incoming: IncomingMessage, response: ServerResponse): void => {
    serve(incoming, response).catch(() => incoming.socket.destroy())
  }
  const server =
    options.tls === undefined ? createServer(listener) : createTlsServer(options.tls, listener)
  server.keepAliveTimeout = 0
  server.on(options.tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    connections += 1
    sockets.set(socket, { id: connections, turns: 0, busy: false })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
  })
  // A client that refuses our certificate is no business of the test's output.
  server.on('tlsClientError', () => undefined)
  const host = options.host ?? '127.0.0.1'
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, host, resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url:
      (options.tls === undefined ? 'http://' : 'https://') +
      hostText(host) +
      ':' +
      port +
      '/realtime',
    port,
    requests,
    floodedBytes: () => flood.bytes,
    connectionsOpened: () => connections,
    connectionsOpen: () => sockets.size,
    closeIdle() {
      for (const [socket, { busy }] of sockets) if (!busy) socket.destroy()
    },
    close() {
      for (const socket of sockets.keys()) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function hostText(host: string): string {
  return host.includes(':') ? '[' + host + ']' : host
}

async function read(
  incoming: IncomingMessage,
  seen: { id: number; turns: number },
  secrets: readonly string[],
): Promise<TenantRequest> {
  const { id, turns } = seen
  const receivedAtMs = systemClock.nowMs()
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  const header = String(incoming.headers['svc-signature'] ?? '')
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: incoming.headers,
    body: body.toString(),
    signatureProblem: verifySignature({
      header,
      body,
      secrets,
      nowS: Math.floor(receivedAtMs / 1000),
    }),
    receivedAtMs,
    connection: id,
    turn: turns,
  }
}

async function act(
  behaviour: Behaviour,
  socket: Socket,
  response: ServerResponse,
  flood: { bytes: number },
): Promise<void> {
  switch (behaviour.kind) {
    case 'reply':
      if (behaviour.afterMs !== undefined) await sleep(behaviour.afterMs)
      response.writeHead(behaviour.status ?? 200, behaviour.headers ?? {})
      response.end(behaviour.body ?? '')
      return
    case 'hang':
      return
    case 'drip':
      response.writeHead(200, { 'content-length': String(Buffer.byteLength(behaviour.body)) })
      for (const character of behaviour.body) {
        if (socket.destroyed) return
        response.write(character)
        await sleep(behaviour.everyMs)
      }
      response.end()
      return
    case 'reset':
      if (behaviour.when === 'within_body') {
        response.writeHead(200, { 'content-length': '100' })
        response.write('{"approve":')
        await sleep(20)
      }
      if (behaviour.politely === true) socket.destroy()
      else socket.resetAndDestroy()
      return
    case 'raw':
      socket.write(behaviour.bytes)
      if (behaviour.keepOpen !== true) socket.end()
      return
    case 'flood':
      await pour(response, behaviour.bytes, flood)
  }
}

/** Writes as fast as the client reads, until the sum of all floods is there or the client left. */
async function pour(
  response: ServerResponse,
  bytes: number,
  flood: { bytes: number },
): Promise<void> {
  const closed = new Promise((resolve) => response.once('close', resolve))
  response.writeHead(200)
  while (flood.bytes < bytes && !response.destroyed) {
    flood.bytes += FLOOD_CHUNK_BYTES
    if (!response.write(Buffer.alloc(FLOOD_CHUNK_BYTES, 0x20)))
      await Promise.race([once(response, 'drain'), closed])
  }
  response.end()
}
