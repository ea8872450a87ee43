// A call with an Idempotency-Key that begins something before the engine is asked: its repeat finds
// the begun row by the key, whatever crashed in between.
import { hash } from 'node:crypto'
import type { EpochMs } from '../../../shared/clock.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { findBegun } from './store.ts'

/** As long as answers are kept under a key. */
const KEPT_MS = 24 * 3_600_000

export interface CallMark {
  hash: Buffer
  fingerprint: string
}

/** The mark of a call; null without an Idempotency-Key. */
export function markOf({ call: { keyed } }: Context): CallMark | null {
  if (keyed === null) return null
  const name = [keyed.owner.tenantId, keyed.owner.environment, keyed.key].join(' ')
  return { hash: hash('sha256', name, 'buffer'), fingerprint: keyed.fingerprint }
}

/**
 * The row that an earlier call began under this mark; null: none. Refuses with 422 another call
 * under the same key.
 */
export async function findEarlier(
  sql: TxSql,
  table: 'payments' | 'payment_captures',
  { mark, now }: { mark: CallMark | null; now: EpochMs },
): Promise<string | null> {
  if (mark === null) return null
  const begun = await findBegun(sql, { table, hash: mark.hash, oldest: now - KEPT_MS })
  if (begun === null || begun.fingerprint === mark.fingerprint) return begun?.id ?? null
  throw new Refusal('idempotency_key_reused', { extra: { resource_id: begun.id } })
}
