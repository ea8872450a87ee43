// The link of a transaction: 16 bytes that all its messages share.
import { hash } from 'node:crypto'
import type { Environment } from './config-records.ts'

const BYTES = 16

/**
 * The link of environment, network, a card with its replacements (`windowsId`) and the original's
 * network transaction id. A network may have one name in both environments. Chosen: a message that
 * names another card's transaction belongs to one of its own, so that no card moves the sums of
 * another.
 */
export function transactionLink(
  environment: Environment,
  network: string,
  windowsId: string,
  networkTransactionId: string,
): Buffer {
  const text = environment + '\0' + network + '\0' + windowsId + '\0' + networkTransactionId
  const link = Buffer.allocUnsafe(BYTES)
  link.write(hash('sha256', text, 'binary'), 0, BYTES, 'latin1')
  return link
}

/** Whether a message names another transaction than its own as the one that it is about. */
export function namesOriginal(message: {
  readonly networkTransactionId: string
  readonly originalNetworkTransactionId: string
}): boolean {
  return message.originalNetworkTransactionId !== message.networkTransactionId
}
