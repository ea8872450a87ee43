// A tenant's server for webhooks: a real HTTP server that verifies each delivery over its raw
// bytes, keeps the verified events, and approves each authorization it is asked about.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { verifyWebhook } from '../../client/verify-webhook.ts'
import { systemClock, unixSeconds } from '../../shared/clock.ts'
import type { Teardown } from './postgres.ts'
import { until } from './until.ts'

export interface Received {
  type: string
  /** Id of the resource that the event carries. */
  resourceId: string
  atMs: number
}

export interface WebhookReceiver {
  url: string
  /** Path that answers 500 to every delivery. */
  brokenUrl: string
  /** Accepted signing secrets. */
  secrets: string[]
  received: readonly Received[]
  /** Deliveries that no secret verified. */
  unverified: number
  /** Waits for an event of this type about this resource. */
  hear(type: string, resourceId: string): Promise<Received>
}

export async function openWebhookReceiver(t: Teardown): Promise<WebhookReceiver> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const isBroken = request.url === '/broken'
    const event = verified(await bodyOf(request), request, receiver.secrets)
    if (event === null) receiver.unverified += 1
    else if (!isBroken) received.push(event)
    response
      .writeHead(isBroken ? 500 : 200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ approve: true }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  })
  const base = 'http://127.0.0.1:' + (server.address() as AddressInfo).port
  const receiver: WebhookReceiver = {
    ...{ url: base + '/webhooks', brokenUrl: base + '/broken', secrets: [], received },
    unverified: 0,
    async hear(type, resourceId) {
      const found = () =>
        received.find((event) => event.type === type && event.resourceId === resourceId)
      try {
        await until(() => found() !== undefined)
      } catch {
        throw new Error(type + ' about ' + resourceId + ' did not arrive')
      }
      return found() as Received
    },
  }
  return receiver
}

function verified(
  body: Buffer,
  { headers }: IncomingMessage,
  secrets: readonly string[],
): Received | null {
  const atMs = systemClock.nowMs()
  try {
    const event = verifyWebhook(body, headers['svc-signature'], [...secrets], {
      nowS: unixSeconds(atMs),
    })
    const data = event.data as { endpoint_id?: string; [name: string]: unknown }
    const [resource] = Object.values(data) as { id?: string }[]
    return { type: event.type, resourceId: data.endpoint_id ?? resource?.id ?? '', atMs }
  } catch {
    return null
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}
