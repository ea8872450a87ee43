// An operator's cancellation: before a signature the batch fails, afterwards an empty transaction
// to ourselves takes its nonce, with a higher fee. The one that is mined first counts.
import { chainIdOf } from '../chain/hex.ts'
import { failBatch } from '../settlement-batches/index.ts'
import { raisedFees } from './fees.ts'
import { inLead, type Line } from './line.ts'
import { signAttempt } from './sign.ts'
import { type Attempt, findBatch, insertAttempt, type OpenBatch } from './store.ts'

export const CANCELLED = { stage: 'cancelled', code: 'cancelled', detail: null } as const

/** Gas of a transaction without data. */
const EMPTY_GAS = 21_000n

/** Fails a batch that was never signed; one that another copy of the database sent is adopted. */
export async function failCancelled(line: Line, { id }: OpenBatch): Promise<void> {
  const done = await line.chain.done(chainIdOf(id))
  if (done.kind !== 'agreed' || done.value) return
  const failed = { batchId: id, failure: CANCELLED, now: line.clock.nowMs() }
  if (await inLead(line, (sql) => failBatch(sql, failed))) line.counts.failed += 1
}

/** Stores the empty transaction of a batch that is to be cancelled, once; false: none stored. */
export async function cancelNonce(line: Line, group: readonly Attempt[]): Promise<boolean> {
  const [newest] = group
  const batchId = batchOf(group)
  if (newest === undefined || batchId === null || newest.signed.length === 0) return false
  if (group.some((attempt) => attempt.batchId === null)) return false
  const batch = await findBatch(line.sql, batchId)
  if (batch?.cancelled !== true) return false
  const { maxFeeWei } = line.config
  if (newest.maxFeeWei >= maxFeeWei) {
    line.counts.atCap += 1
    return false
  }
  const { nonce } = newest
  const fees = raisedFees(newest, maxFeeWei)
  const empty = { nonce, to: line.signer.address, data: '0x', gas: EMPTY_GAS, fees } as const
  const signed = await signAttempt(line, empty)
  if (signed === null) return false
  await inLead(line, (sql) =>
    insertAttempt(sql, line.config.chainId, {
      ...{ nonce, attempt: newest.attempt + 1, batchId: null, withdrawalId: null, ...signed },
      now: line.clock.nowMs(),
    }),
  )
  line.log.warn({ batch: batchId, nonce }, 'an operator cancels a batch')
  return true
}

/** The batch that a nonce was signed for; null for a nonce without one. */
export function batchOf(group: readonly Attempt[]): string | null {
  return group.find(({ batchId }) => batchId !== null)?.batchId ?? null
}

/** The withdrawal that a nonce was signed for; null for a nonce of another kind. */
export function withdrawalOf(group: readonly Attempt[]): string | null {
  return group.find(({ withdrawalId }) => withdrawalId !== null)?.withdrawalId ?? null
}
