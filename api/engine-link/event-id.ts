// Derives ids of events: a repeated batch makes the same events.
import { hash } from 'node:crypto'
import type { EpochMs } from '../../shared/clock.ts'
import { encodeId } from '../../shared/id.ts'

/** `evt_…`, sorted by `at` like every id, the rest a hash of the type and the resource. */
export function derivedEventId(type: string, resourceId: string, at: EpochMs): string {
  const bytes = hash('sha256', `${type}:${resourceId}`, 'buffer').subarray(0, 16)
  bytes.writeUIntBE(at, 0, 6)
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  return 'evt_' + encodeId(bytes)
}

/**
 * Event id for a transaction's message or expiry; the first one's is that of a transaction with no
 * other.
 */
export function transactionEventId(
  type: string,
  happened: { transactionId: string; sequence: number; at: EpochMs },
): string {
  const { transactionId, sequence, at } = happened
  const resource = sequence === 1 ? transactionId : transactionId + ':' + sequence
  return derivedEventId(type, resource, at)
}
