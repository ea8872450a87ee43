// A webhook receiver in Node: verifies the bytes as they came, answers 400 with the reason, takes every event once.
//
//   npm install @svc/client
//   WEBHOOK_SECRETS=whsec_… PORT=8090 node receiver.mjs        (old,new while one secret replaces the other)
import { createServer } from 'node:http'
import { verifyWebhook, WebhookError } from '@svc/client'

const secrets = (process.env.WEBHOOK_SECRETS ?? '').split(',').filter((secret) => secret !== '')
if (secrets.length === 0) throw new Error('WEBHOOK_SECRETS is missing')
const BODY_BYTES_MAX = 1024 * 1024

// Deliveries repeat when an answer was lost. Keep the ids where your data is, and for longer than this process lives.
const taken = new Set()

function take(event) {
  if (taken.has(event.id)) return
  taken.add(event.id)
  console.log(event.type, event.id)
}

async function rawBody(request) {
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > BODY_BYTES_MAX) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const server = createServer(async (request, response) => {
  const answer = (status, body) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  try {
    const body = await rawBody(request)
    if (body === null) return answer(413, { error: 'body_too_large' })
    // Long work belongs behind a queue: an answer is waited for 15 seconds.
    take(verifyWebhook(body, request.headers['svc-signature'], secrets))
    answer(200, { received: true })
  } catch (error) {
    if (error instanceof WebhookError) answer(400, { error: error.code })
    else answer(500, { error: 'internal_error' })
  }
})

server.listen(Number(process.env.PORT ?? 8090), '127.0.0.1', () => {
  console.log('listening on http://127.0.0.1:' + server.address().port + '/')
})
