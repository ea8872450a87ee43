// What the messages of one transaction share.
import { hash } from 'node:crypto'

/** What the messages of one transaction share: 16 bytes of network, tenant and the original's network transaction id. */
export function transactionLink(
  network: string,
  tenantId: string,
  networkTransactionId: string,
): Buffer {
  const text = network + '\0' + tenantId + '\0' + networkTransactionId
  return hash('sha256', text, 'buffer').subarray(0, 16)
}
