// What the messages of one transaction share.
import { hash } from 'node:crypto'
import type { Environment } from './facts.ts'

/**
 * What the messages of one transaction share: 16 bytes of environment, network, tenant and the original's network transaction
 * id. A network may have one name in both environments.
 */
export function transactionLink(
  environment: Environment,
  network: string,
  tenantId: string,
  networkTransactionId: string,
): Buffer {
  const text = environment + '\0' + network + '\0' + tenantId + '\0' + networkTransactionId
  return hash('sha256', text, 'buffer').subarray(0, 16)
}
