// The peer with Node and Redis: a message is verified, validated and decided by one script call,
// and answered when Redis has it on disk. Behind uWebSockets.js or behind Fastify, whichever its
// user takes.

import * as uWS from 'uWebSockets.js'
import { fastify } from 'fastify'
import { NetworkMessage } from '../../shared/schemas/network-message.ts'
import { isNetworkMessage, openBorder } from './authorization-request.ts'
import { takeSigned } from './fastify-listener.ts'
import { answerTo } from './outcome.ts'
import { openRedisLine } from './redis-line.ts'
import { serveIn } from './workers.ts'

const PATH = '/v1/network/messages'
const BODY_BYTES_MAX = 16 * 1024
const { PEER_PORT, PEER_REDIS, PEER_POOL, PEER_PROCESSES, PEER_WAY, PEER_SECRET, PEER_ROOT } =
  process.env
const border = openBorder({
  secret: PEER_SECRET ?? '',
  root: Buffer.from(PEER_ROOT ?? '', 'hex'),
})
let decide: Awaited<ReturnType<typeof openRedisLine>>

/** Returns the answer, or null for a message that is not decided here. */
async function answer(message: NetworkMessage): Promise<string | null> {
  const authorization = border.requestOf(message)
  if (authorization === null) return null
  const { content, amountCents } = authorization
  return answerTo({ id: message.id, content, amountCents }, await decide(authorization))
}

async function listenWithFastify(port: number): Promise<void> {
  const server = fastify({ bodyLimit: BODY_BYTES_MAX })
  takeSigned(server, border)
  server.post<{ Body: NetworkMessage }>(
    PATH,
    { schema: { body: NetworkMessage } },
    async (request, reply) => {
      const text = await answer(request.body)
      if (text === null) return reply.code(400).send({ error: 'not decided here' })
      reply.type('application/json')
      return text
    },
  )
  await server.listen({ host: '127.0.0.1', port })
}

function listenWithUws(port: number): Promise<void> {
  const app = uWS.App({}).post(PATH, (res, req) => {
    const signature = req.getHeader('svc-signature')
    let open = true
    res.onAborted(() => {
      open = false
    })
    const reply = (status: string, text: string): void => {
      if (!open) return
      open = false
      res.cork(() => {
        res.writeStatus(status).writeHeader('Content-Type', 'application/json').end(text)
      })
    }
    const chunks: Buffer[] = []
    res.onData((chunk, isLast) => {
      // The bytes are the library's until this returns.
      if (!isLast) return void chunks.push(Buffer.from(Buffer.from(chunk)))
      const last = Buffer.from(chunk)
      void take(chunks.length === 0 ? last : Buffer.concat([...chunks, last]), signature).then(
        ([status, text]) => reply(status, text),
        () => reply('503 Service Unavailable', '{"error":"no decision"}'),
      )
    })
  })
  return new Promise((resolve, reject) => {
    app.listen('127.0.0.1', port, (socket) =>
      socket === false ? reject(new Error('the port is in use')) : resolve(),
    )
  })
}

/** Reads the body before it first waits. */
async function take(body: Buffer, signature: string): Promise<[status: string, text: string]> {
  if (body.length > BODY_BYTES_MAX) return ['413 Payload Too Large', '{"error":"too large"}']
  const problem = border.problem(body, signature)
  if (problem !== null) return ['401 Unauthorized', JSON.stringify({ error: problem })]
  const message = messageIn(body)
  const text = message === null ? null : await answer(message)
  return text === null ? ['400 Bad Request', '{"error":"not decided here"}'] : ['200 OK', text]
}

function messageIn(body: Buffer): NetworkMessage | null {
  try {
    const value: unknown = JSON.parse(body.toString())
    return isNetworkMessage(value) ? value : null
  } catch {
    return null
  }
}

await serveIn(Number(PEER_PROCESSES), async () => {
  decide = await openRedisLine(PEER_REDIS ?? '', Number(PEER_POOL))
  await (PEER_WAY === 'fastify' ? listenWithFastify : listenWithUws)(Number(PEER_PORT))
})
