// A tenant's webhook receiver: a real HTTP server that keeps every request byte for byte and gives
// the answers it is told.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '../../shared/clock.ts'

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
  atMs: number
}

/**
 * `hang` never answers, `reset` breaks the connection off; a number is the status, after `delayMs`.
 */
export type Reply = 'hang' | 'reset' | { status: number; delayMs?: number; location?: string }

export interface WebhookReceiver {
  url: string
  /** In the order of arrival, for one path. */
  at(path: string): readonly Received[]
  /** How a path answers; `count` is how many requests for it came before. Unset: 200. */
  reply(path: string, answer: (count: number, received: Received) => Reply): void
  close(): Promise<void>
}

export async function openWebhookReceiver(): Promise<WebhookReceiver> {
  const arrived = new Map<string, Received[]>()
  const replies = new Map<string, (count: number, received: Received) => Reply>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const path = request.url ?? ''
      const received: Received = {
        path,
        headers: request.headers,
        body: Buffer.concat(chunks),
        atMs: systemClock.nowMs(),
      }
      const earlier = arrived.get(path) ?? []
      arrived.set(path, [...earlier, received])
      answer(response, replies.get(path)?.(earlier.length, received) ?? { status: 200 })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: 'http://127.0.0.1:' + port,
    at: (path) => arrived.get(path) ?? [],
    reply(path, respond) {
      replies.set(path, respond)
    },
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function answer(response: ServerResponse, reply: Reply): void {
  if (reply === 'hang') return
  if (reply === 'reset') {
    response.socket?.resetAndDestroy()
    return
  }
  const { status, delayMs, location } = reply
  const end = (): void => {
    response.writeHead(status, location === undefined ? {} : { location }).end('answer ' + status)
  }
  if (delayMs === undefined) end()
  else systemClock.after(delayMs, end)
}
