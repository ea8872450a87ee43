// The sandbox's tenant: a process of its own on a loopback port that answers real-time
// authorizations and takes webhooks. The last two digits of the amount select the answer, so a
// developer can cause every outcome on purpose.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { parseArgs } from 'node:util'
import { systemClock, unixSeconds } from '../../shared/clock.ts'
import { AUTHORIZATION_REQUEST_TYPE } from '../../shared/event-catalog.ts'
import { createLog, type Logger } from '../../shared/log.ts'
import { onceToldToStop, signalReady } from '../../shared/parent.ts'
import { verifySignature } from '../../shared/signature.ts'
import { readDemoTenantConfig } from './config.ts'
import { demoAnswer } from './demo-answer.ts'
import { readSandboxSecrets } from './sandbox-secrets.ts'

const HELP = `The sandbox's demo tenant; npm start runs it.

  node scripts/start/demo-tenant.ts [--help]

It listens on the port that SVC_DATA_DIR/sandbox-secrets.json names and verifies Svc-Signature with the secret there. It approves
authorization requests, except amounts that end in 51 (declined, insufficient_funds), in 59 (declined,
suspected_fraud) and in 99 (no answer at all). Every other event is answered with 200.
`
const BODY_BYTES_MAX = 256 * 1024
/** A silent request is held this long, then cut: longer than any caller waits. */
const SILENCE_MS_MAX = 20_000
const STOP_MS_MAX = 1000

function main(): void {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } })
  if (values.help) {
    process.stdout.write(HELP)
    return
  }
  const config = readDemoTenantConfig()
  if (!config.ok) {
    process.stderr.write(config.error.join('\n') + '\n')
    process.exitCode = 1
    return
  }
  const { dataDir, logLevel } = config.value
  const log = createLog({ name: 'demo-tenant', level: logLevel })
  const secrets = readSandboxSecrets(dataDir)
  if (secrets === null) {
    log.fatal(dataDir + ' holds no sandbox yet: run npm start first')
    process.exitCode = 1
    return
  }
  serve(secrets.demo_tenant.port, newestSecret(dataDir), log)
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

function serve(port: number, secret: Secret, log: Logger): void {
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const signature = String(request.headers['svc-signature'] ?? '')
      send(response, replyTo({ method: request.method ?? '', signature, body }, secret, log))
    })
  })
  server.keepAliveTimeout = 60_000
  server.once('error', (error) => {
    log.fatal('cannot listen on 127.0.0.1:' + port + ': ' + error.message)
    process.exit(1)
  })
  server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
    log.info('listening on http://127.0.0.1:' + port)
    signalReady()
  })
  onceToldToStop(() => {
    server.close(() => process.exit(0))
    server.closeAllConnections()
    systemClock.after(STOP_MS_MAX, () => process.exit(0))
  })
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

main()
