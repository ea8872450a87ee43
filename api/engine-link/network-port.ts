// The engine's network port from the network's side: messages of a simulated card network take the
// same path as all others.
import { RequestAgent } from '../http/request-agent.ts'

const CONNECT_MS_MAX = 3000
/** Milliseconds, longer than any wait for a tenant, even a generously configured one. */
const ANSWER_MS_MAX = 35_000
const CONNECTIONS_MAX = 32
const ANSWER_BYTES_MAX = 64 * 1024

export interface NetworkPortOptions {
  /** `http://host:port` or `https://host:port`. */
  url: string
  /** PEM: the certificates that the port presents; null: the port speaks without TLS. */
  certificate: string | null
}

/** A message in its transmitted form. */
export interface SignedMessage {
  keyId: string
  /** `Svc-Signature` of the body. */
  signature: string
  body: string
}

export interface PortAnswer {
  status: number
  /** JSON; null when the body is not JSON. */
  body: unknown
}

export interface NetworkPort {
  /**
   * Returns null when no whole answer came back: the result is unknown, and the same message may be
   * sent again.
   */
  send(message: SignedMessage): Promise<PortAnswer | null>
  close(): Promise<void>
}

/** Opens no connection yet: the first message connects. */
export function openNetworkPort({ url, certificate }: NetworkPortOptions): NetworkPort {
  // Only the port's own certificates are trusted, whatever names they carry.
  const pinned = { ca: certificate ?? [], allowPartialTrustChain: true, checkServerIdentity }
  const agent = new RequestAgent({
    connect: { timeout: CONNECT_MS_MAX, ...(certificate === null ? {} : pinned) },
    connections: CONNECTIONS_MAX,
    allowH2: false,
    pipelining: 1,
    headersTimeout: ANSWER_MS_MAX,
    bodyTimeout: ANSWER_MS_MAX,
    maxResponseSize: ANSWER_BYTES_MAX,
  })
  return {
    async send({ keyId, signature, body }) {
      try {
        const answer = await agent.request({
          origin: url,
          path: '/v1/network/messages',
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'svc-signature': signature,
            'svc-key-id': keyId,
          },
          body,
        })
        return { status: answer.statusCode, body: parsed(await answer.body.text()) }
      } catch {
        return null
      }
    },
    close: () => agent.destroy(),
  }
}

function checkServerIdentity(): undefined {}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
