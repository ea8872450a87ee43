// The other side of identity verification, as a test wants it: it answers what it is told to, and
// keeps what it was asked.
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
  /** Everything that was asked, oldest first. */
  asked: AskedOf[]
  /** What the next calls are answered; `silence` holds them open. */
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
