// The network port as a scenario uses it: send a message, wait for the answer.
import type { Clock } from '../../shared/clock.ts'
import type { NetworkAnswer, NetworkMessage } from '../../shared/schemas/network-message.ts'
import { ConnectionPool, type Exchange } from './connection-pool.ts'
import { answerIn, signedRequest, targetOf } from './message.ts'
import type { Sandbox } from './sandbox.ts'

const NS_PER_MS = 1e6

export interface Answered {
  exchange: Exchange
  /** Null where no decision came back. */
  answer: NetworkAnswer | null
  /** The exact bytes of the body; empty where nothing came back. */
  body: Buffer
  tookMs: number
}

export interface Network {
  /** Opens every connection ahead. */
  warm(): Promise<void>
  /** Signs and sends; never rejects, because a broken connection is a result too. */
  send(message: NetworkMessage): Promise<Answered>
  /** Sends a request exactly as it is. */
  sendBytes(bytes: Buffer): Promise<Answered>
  close(): void
}

export function openNetwork(
  sandbox: Pick<Sandbox, 'engine_url' | 'network'>,
  clock: Clock,
  connections: number,
): Network {
  const target = targetOf(sandbox.engine_url)
  const pool = new ConnectionPool(target, connections)
  const sendBytes = (bytes: Buffer): Promise<Answered> =>
    new Promise((resolve) => {
      const sentNs = clock.monotonicNs()
      pool.send(bytes, (exchange) => {
        const body = exchange.kind === 'response' ? exchange.body : Buffer.alloc(0)
        const decided = exchange.kind === 'response' && exchange.status === 200
        const tookMs = (clock.monotonicNs() - sentNs) / NS_PER_MS
        resolve({ exchange, body, answer: decided ? answerIn(body) : null, tookMs })
      })
    })
  return {
    warm: () => pool.warm(),
    send: (message) =>
      sendBytes(signedRequest(target, sandbox.network, JSON.stringify(message), clock.nowMs())),
    sendBytes,
    close: () => pool.close(),
  }
}

/** One line about an exchange without a decision. */
export function describeExchange(exchange: Exchange): string {
  return exchange.kind === 'broken'
    ? exchange.problem
    : 'HTTP ' + exchange.status + ' ' + exchange.body.toString('utf8', 0, 300)
}
