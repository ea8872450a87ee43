// An operator's cancellation: before a signature the batch or withdrawal fails, afterwards an empty
// transaction to ourselves takes its nonce, with a higher fee. The one that is mined first counts.
import { chainIdOf } from '../chain/hex.ts'
import { failWithdrawal } from '../payment-withdrawals/index.ts'
import { failBatch } from '../settlement-batches/index.ts'
import { type Attempt, insertAttempt } from './attempt-store.ts'
import { raisedFees } from './fees.ts'
import { inLead, type Line } from './line.ts'
import { mayHaveLanded } from './rehearse.ts'
import { signAttempt } from './sign.ts'
import { findBatch, type OpenBatch } from './store.ts'
import { findSentWithdrawal, listLeftWithdrawals } from './withdrawal-store.ts'

export const CANCELLED = { stage: 'cancelled', code: 'cancelled', detail: null } as const
export const WITHDRAWAL_CANCELLED = { stage: 'cancelled', code: 'cancelled' } as const

/** Gas of a transaction without data. */
const EMPTY_GAS = 21_000n

/** Fails a batch that was never signed; one that another copy of the database sent is adopted. */
export async function failCancelled(line: Line, { id }: OpenBatch): Promise<void> {
  if (await mayHaveLanded(line, id)) return
  const failed = { batchId: id, failure: CANCELLED, now: line.clock.nowMs() }
  if (await inLead(line, (sql) => failBatch(sql, failed))) line.counts.failed += 1
}

/**
 * Fails a withdrawal that no transaction can release any more; one that another copy of the
 * database sent is adopted.
 */
export async function failCancelledWithdrawal(line: Line, id: string): Promise<void> {
  const done = await line.chain.done(chainIdOf(id))
  if (done.kind !== 'agreed' || done.value) return
  const failed = { failure: WITHDRAWAL_CANCELLED, now: line.clock.nowMs() }
  await inLead(line, (sql) => failWithdrawal(sql, id, failed))
}

/** Fails withdrawals whose nonce an empty transaction has used for good, unless they landed. */
export async function failLeftWithdrawals(line: Line): Promise<void> {
  const left = await listLeftWithdrawals(line.sql, line.config.chainId)
  for (const id of left) await failCancelledWithdrawal(line, id)
}

/** The batch or withdrawal that a nonce was signed for. */
export interface Subject {
  batchId: string | null
  withdrawalId: string | null
}

export function subjectOf(group: readonly Attempt[]): Subject {
  const signed = group.find((attempt) => !isEmpty(attempt))
  return { batchId: signed?.batchId ?? null, withdrawalId: signed?.withdrawalId ?? null }
}

/** True for the transaction that frees a nonce. */
export function isEmpty({ batchId, withdrawalId }: Subject): boolean {
  return batchId === null && withdrawalId === null
}

/**
 * Stores the empty transaction of a batch or withdrawal that is to be cancelled, once; false: none
 * stored.
 */
export async function cancelNonce(line: Line, group: readonly Attempt[]): Promise<boolean> {
  const [newest] = group
  if (newest === undefined || newest.signed.length === 0 || group.some(isEmpty)) return false
  const subject = subjectOf(group)
  if (!(await isCancelled(line, subject))) return false
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
  line.log.warn({ ...subject, nonce }, 'an operator cancels a transaction')
  return true
}

async function isCancelled(line: Line, { batchId, withdrawalId }: Subject): Promise<boolean> {
  if (batchId !== null) return (await findBatch(line.sql, batchId))?.cancelled === true
  if (withdrawalId === null) return false
  return (await findSentWithdrawal(line.sql, withdrawalId))?.cancelled === true
}
