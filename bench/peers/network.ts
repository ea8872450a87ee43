// The network in front of a peer, for the checks before a measurement: one message at a time or
// many at once, and each answer whole.
import { ConnectionPool } from '../../scripts/simulate/connection-pool.ts'
import { signedRequest } from '../../scripts/simulate/message.ts'
import type { NetworkMessage } from '../../shared/schemas/network-message.ts'

export interface Told {
  /** 0 where there was no answer. */
  status: number
  text: string
}

export type Ask = (message: NetworkMessage) => Promise<Told>

const CONNECTIONS = 64

/** Asks a peer on this port; `close` ends the connections. */
export function openNetwork(port: number, secret: string): { ask: Ask; close(): void } {
  const target = { host: '127.0.0.1', port }
  const pool = new ConnectionPool(target, CONNECTIONS)
  const credentials = { key_id: 'bench', secret }
  return {
    ask: (message) =>
      new Promise((resolve) => {
        const bytes = signedRequest(target, credentials, JSON.stringify(message), Date.now())
        pool.send(bytes, (exchange) => {
          if (exchange.kind === 'broken') resolve({ status: 0, text: exchange.problem })
          else resolve({ status: exchange.status, text: exchange.body.toString() })
        })
      }),
    close: () => pool.close(),
  }
}
