// The identity provider as a test wants it: it gives the answers it is told and keeps the requests
// it got.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface AskedOf {
  method: string
  id: string
  authorization: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they sent.
  body: any
}

export interface IdentityProviderFake {
  url: string
  /** Every request, oldest first. */
  asked: AskedOf[]
  /** The answer to the next calls; `silence` leaves them without an answer. */
  answer: { status: number; body?: unknown } | 'silence'
  close(): Promise<void>
}

export async function startIdentityProvider(): Promise<IdentityProviderFake> {
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const id = request.url?.split('/').at(-1) ?? ''
    const { authorization = '' } = request.headers
    const body = text === '' ? null : JSON.parse(text)
    fake.asked.push({ method: request.method ?? '', id, authorization, body })
    if (fake.answer === 'silence') return
    response.writeHead(fake.answer.status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(fake.answer.body ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const fake: IdentityProviderFake = {
    url: 'http://127.0.0.1:' + port,
    asked: [],
    answer: { status: 202 },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return fake
}
