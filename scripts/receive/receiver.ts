// A server that accepts webhooks as a tenant's server would, verifies each over its raw bytes, and
// prints the result.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { verifyWebhook, WebhookError } from '../../client/verify-webhook.ts'
import { type Clock, isoInstant, unixSeconds } from '../../shared/clock.ts'
import { AUTHORIZATION_REQUEST_TYPE } from '../../shared/event-catalog.ts'
import type { ReceiveOptions } from './options.ts'

/** No webhook is as large. */
const BODY_BYTES_MAX = 1024 * 1024
const SHOWN_CHARACTERS_MAX = 64

export interface Counts {
  arrived: number
  verified: number
}

export interface Receiver {
  url: string
  counts: Counts
  /** Ends the server and aborts open requests. */
  close(): Promise<void>
}

/** Listens on loopback. `say` gets a line per request. Rejects if the port is taken. */
export async function openReceiver(
  options: ReceiveOptions,
  clock: Clock,
  say: (line: string) => void,
): Promise<Receiver> {
  const counts: Counts = { arrived: 0, verified: 0 }
  const server = createServer((request, response) => {
    readBody(request).then(
      (body) => {
        const now = clock.nowMs()
        counts.arrived += 1
        const made = body === null ? TOO_LARGE : judge(request, body, { ...options, nowMs: now })
        if (made.problem === null) counts.verified += 1
        const status = options.hangs ? null : counts.arrived <= options.failures ? 500 : made.status
        const reply = replyTo(made, status, options.declines)
        say(isoInstant(now).slice(11, 23) + lineOf(request, made, outcomeOf(status, reply)))
        if (status !== null) clock.after(options.delayMs, () => answer(response, status, reply))
      },
      () => say('a request broke off'),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: 'http://127.0.0.1:' + port + '/',
    counts,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

interface Judged {
  status: number
  /** Null: it verified. */
  problem: string | null
  type: string
}

const TOO_LARGE: Judged = { status: 413, problem: 'body_too_large', type: '-' }

function judge(
  request: IncomingMessage,
  body: Buffer,
  { secrets, toleranceS, nowMs }: ReceiveOptions & { nowMs: number },
): Judged {
  const header = request.headers['svc-signature']
  try {
    const event = verifyWebhook(body, header, secrets, { toleranceS, nowS: unixSeconds(nowMs) })
    return { status: 200, problem: null, type: String(event.type) }
  } catch (error) {
    // A body that is signed but is no JSON does not come from the service.
    const problem = error instanceof WebhookError ? error.code : 'body_not_json'
    return { status: 400, problem, type: '-' }
  }
}

function outcomeOf(status: number | null, { approve }: Reply): string {
  if (status === null) return 'not answered'
  const decision = approve === undefined ? '' : approve ? ': approve' : ': decline'
  return 'answered ' + status + decision
}

function lineOf(request: IncomingMessage, made: Judged, outcome: string): string {
  const told = (name: string): string => shown(String(request.headers[name] ?? '-'))
  const verdict = made.problem ?? 'verified'
  const id = told('svc-event-id')
  return ['', id, shown(made.type), 'attempt ' + told('svc-attempt'), verdict, outcome].join('  ')
}

/** Text of strangers must not reach a terminal as it is. */
function shown(text: string): string {
  return text.slice(0, SHOWN_CHARACTERS_MAX).replace(/[^\x20-\x7e]/g, '?')
}

interface Reply {
  error?: string
  received?: boolean
  approve?: boolean
  decline_reason?: string
}

/** A question about an authorization gets a decision; everything else gets a receipt. */
function replyTo({ problem, type }: Judged, status: number | null, declines: string | null): Reply {
  if (problem !== null) return { error: problem }
  if (status !== 200 || type !== AUTHORIZATION_REQUEST_TYPE) return { received: status === 200 }
  return declines === null ? { approve: true } : { approve: false, decline_reason: declines }
}

function answer(response: ServerResponse, status: number, body: Reply): void {
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify(body) + '\n')
}

/** The bytes as they came; null where there are too many of them. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk)
  }
  return bytes <= BODY_BYTES_MAX ? Buffer.concat(chunks) : null
}
