// An outside party of the sandbox that is spoken to over HTTP: listens on loopback, reads a bounded
// body and answers.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

const BODY_BYTES_MAX = 64 * 1024

export interface PeerRequest {
  method: string
  /** Path and query, as they came. */
  url: string
  headers: IncomingHttpHeaders
  /** Null where it was cut off or too large. */
  body: Buffer | null
}

export interface PeerAnswer {
  status: number
  /** Text is a page, anything else JSON. */
  body: object | string
  headers?: { readonly [name: string]: string }
  /** The connection ends without the answer, or stays open without one. */
  ends?: 'cut' | 'hang'
}

export interface PeerServer {
  url: string
  close(): Promise<void>
}

/** Port 0: any free one. Rejects where the port is taken. */
export async function startPeerServer(
  port: number,
  answer: (request: PeerRequest) => Promise<PeerAnswer> | PeerAnswer,
): Promise<PeerServer> {
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const given = await answer({ method, url, headers, body: await readBody(request) })
    if (given.ends === 'hang') return
    if (given.ends === 'cut') return void request.socket.destroy()
    const page = typeof given.body === 'string'
    response.writeHead(given.status, {
      'content-type': page ? 'text/html; charset=utf-8' : 'application/json',
      ...given.headers,
    })
    response.end(page ? given.body : JSON.stringify(given.body))
  })
  await listen(server, port)
  return {
    url: 'http://127.0.0.1:' + (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => resolve())
  })
}

async function readBody(request: AsyncIterable<Buffer>): Promise<Buffer | null> {
  const parts: Buffer[] = []
  let bytes = 0
  try {
    for await (const part of request) {
      bytes += part.length
      if (bytes > BODY_BYTES_MAX) return null
      parts.push(part)
    }
  } catch {
    return null
  }
  return Buffer.concat(parts)
}
