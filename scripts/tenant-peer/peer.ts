// The sandbox's tenant on a loopback port: it answers real-time authorizations and takes webhooks.
// The last two digits of the amount select the answer, so a developer can cause every outcome on
// purpose.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { systemClock, unixSeconds } from '../../shared/clock.ts'
import { AUTHORIZATION_REQUEST_TYPE } from '../../shared/event-catalog.ts'
import type { Logger } from '../../shared/log.ts'
import { verifySignature } from '../../shared/signature.ts'
import { readSandboxSecrets } from '../start/sandbox-secrets.ts'
import { demoAnswer } from './answer.ts'

const BODY_BYTES_MAX = 256 * 1024
/** A silent request is held this long, then cut: longer than any caller waits. */
const SILENCE_MS_MAX = 20_000

export interface TenantPeer {
  port: number
  /** The directory whose sandbox-secrets.json holds the endpoint's secret once it is made. */
  dataDir: string
  log: Logger
}

/** Listens on 127.0.0.1; rejects where the port is taken. */
export async function startTenantPeer({
  port,
  dataDir,
  log,
}: TenantPeer): Promise<{ url: string }> {
  const secret = newestSecret(dataDir)
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const signature = String(request.headers['svc-signature'] ?? '')
      send(response, replyTo({ method: request.method ?? '', signature, body }, secret, log))
    })
  })
  server.keepAliveTimeout = 60_000
  const listening = once(server, 'listening')
  server.listen({ host: '127.0.0.1', port, exclusive: true })
  await listening
  return { url: 'http://127.0.0.1:' + port }
}

/**
 * Returns the secret that verifies signatures. `again` reads it anew after a failed verification,
 * because the secret may be made after this process began to listen.
 */
type Secret = (again: boolean) => string | null

function newestSecret(dataDir: string): Secret {
  let known: string | null = null
  return (again) => {
    if (again || known === null)
      known = readSandboxSecrets(dataDir)?.realtime_endpoint?.secret ?? known
    return known
  }
}

interface IncomingCall {
  method: string
  signature: string
  /** Null when it was too large or cut off. */
  body: Buffer | null
}

interface Reply {
  status: number
  body: object
}

function replyTo(call: IncomingCall, secret: Secret, log: Logger): Reply | 'silence' {
  const { body } = call
  if (body === null) return { status: 413, body: { error: 'body_too_large' } }
  if (call.method !== 'POST') return { status: 405, body: { error: 'post_only' } }
  const problem = problemOf(call.signature, body, secret)
  if (problem !== null) {
    log.warn({ problem }, 'refused a request whose signature does not verify')
    return { status: 400, body: { error: problem } }
  }
  const event = parseEvent(body)
  if (event === null) return { status: 400, body: { error: 'malformed_event' } }
  if (event.type !== AUTHORIZATION_REQUEST_TYPE) {
    log.debug({ event: event.id, type: event.type }, 'webhook received')
    return { status: 200, body: { received: true } }
  }
  const answer = demoAnswer(event.amountCents)
  log.debug({ request: event.id, amount: event.amountCents, answer }, 'authorization asked')
  return answer === 'silence' ? answer : { status: 200, body: answer }
}

/** Null when it verifies. */
function problemOf(header: string, body: Buffer, secret: Secret): string | null {
  const verify = (again: boolean): string | null => {
    const key = secret(again)
    const nowS = unixSeconds(systemClock.nowMs())
    return key === null ? 'no_secret_yet' : verifySignature({ header, body, secrets: [key], nowS })
  }
  return verify(false) && verify(true)
}

function send(response: ServerResponse, reply: Reply | 'silence'): void {
  if (reply === 'silence') {
    const cut = systemClock.after(SILENCE_MS_MAX, () => response.destroy())
    response.once('close', () => cut.cancel())
    return
  }
  const text = JSON.stringify(reply.body)
  response.writeHead(reply.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}

async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const parts: Buffer[] = []
  let bytes = 0
  try {
    for await (const part of request as AsyncIterable<Buffer>) {
      bytes += part.length
      if (bytes > BODY_BYTES_MAX) return null
      parts.push(part)
    }
  } catch {
    return null
  }
  return Buffer.concat(parts)
}

interface DemoEvent {
  id: string
  type: string
  amountCents: number
}

function parseEvent(body: Buffer): DemoEvent | null {
  try {
    const event: unknown = JSON.parse(body.toString('utf8'))
    const id = member(event, 'id')
    const type = member(event, 'type')
    if (typeof id !== 'string' || typeof type !== 'string') return null
    const amount = member(member(member(event, 'data'), 'transaction'), 'amount_cents')
    return { id, type, amountCents: typeof amount === 'number' ? amount : 0 }
  } catch {
    return null
  }
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.getOwnPropertyDescriptor(value, name)?.value
}
