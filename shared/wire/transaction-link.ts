// The link of a transaction: 16 bytes that all its messages share. The last two bytes mark whether
// a card or a tenant owns it.
import { hash } from 'node:crypto'
import type { Environment } from './config-records.ts'

const BYTES = 16
const MARK_AT = 14
/** Links of earlier releases have any two bytes there; one in 65,536 of them these. */
const OF_ONE_CARD = 0x4331

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
  const link = linkOf(environment, network, windowsId, networkTransactionId)
  link.writeUInt16LE(OF_ONE_CARD, MARK_AT)
  return link
}

/** Whether a message names another transaction than its own as the one that it is about. */
export function namesOriginal(message: {
  readonly networkTransactionId: string
  readonly originalNetworkTransactionId: string
}): boolean {
  return message.originalNetworkTransactionId !== message.networkTransactionId
}

/** The link that earlier releases gave the messages of all cards of a tenant. */
export function earlierLink(
  environment: Environment,
  network: string,
  tenantId: string,
  networkTransactionId: string,
): Buffer {
  return linkOf(environment, network, tenantId, networkTransactionId)
}

/** True for a link that `earlierLink` made. */
export function isEarlierLink(link: Buffer): boolean {
  return link.readUInt16LE(MARK_AT) !== OF_ONE_CARD
}

function linkOf(
  environment: Environment,
  network: string,
  whose: string,
  networkTransactionId: string,
): Buffer {
  const text = environment + '\0' + network + '\0' + whose + '\0' + networkTransactionId
  const link = Buffer.allocUnsafe(BYTES)
  link.write(hash('sha256', text, 'binary'), 0, BYTES, 'latin1')
  return link
}
