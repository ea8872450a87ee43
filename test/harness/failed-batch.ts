// A settlement batch that has failed, without a chain: closed and failed as the settler does it.
import { tx } from '../../api/database/transaction.ts'
import { closeBatch, failBatch } from '../../api/payments/settlement-batches/index.ts'
import { systemClock } from '../../shared/clock.ts'
import { type PaymentsApi, PLACE } from './payments.ts'

export const FAILURE = { stage: 'transaction', code: 'reverted', detail: null } as const

/** A batch of everything that waits for a settlement account; it has failed. */
export async function failedBatch(
  { sql, tenant }: Pick<PaymentsApi, 'sql' | 'tenant'>,
  accountId: string,
): Promise<string> {
  const now = systemClock.nowMs()
  return tx(sql, async (inner) => {
    const account = {
      ...{ id: accountId, tenantId: tenant.tenantId, environment: 'sandbox' as const },
      chainId: PLACE.chainId,
    }
    const closing = { account, trigger: 'interval', drawableCents: 1e9 } as const
    const batch = await closeBatch(inner, { ...closing, now, tenantNow: now })
    const batchId = batch?.id ?? ''
    await failBatch(inner, { batchId, failure: FAILURE, now })
    return batchId
  })
}
