// All reads of withdrawals, and the job that finishes checks which were cut off.
import type { Page } from '../../../shared/schemas/list.ts'
import type { PaymentWithdrawal } from '../../../shared/schemas/payment-withdrawal.ts'
import type { Context } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import type { Job } from '../../jobs/job.ts'
import { type ConfirmWithdrawalPorts, finishCheck } from './confirm.ts'
import { findWithdrawal, listChecking, listWithdrawals, type WithdrawalFilters } from './store.ts'
import { withdrawalView } from './view.ts'

export async function readWithdrawal(
  { sql, principal, now }: Context,
  id: string,
): Promise<PaymentWithdrawal> {
  const withdrawal = await findWithdrawal(sql, principal, id)
  if (withdrawal === null) throw new Refusal('resource_missing')
  return withdrawalView(withdrawal, now)
}

export async function readWithdrawals(
  { sql, principal, now }: Context,
  query: PageQuery & WithdrawalFilters,
): Promise<Page<PaymentWithdrawal>> {
  const page = await listWithdrawals(sql, principal, { ...query, now })
  return mapPage(page, (row) => withdrawalView(row, now))
}

const ROWS_MAX = 100

/** The job over an engine: it finishes approved withdrawals whose check was cut off. */
export function withdrawalJob(ports: Pick<ConfirmWithdrawalPorts, 'waitUntilEngineCovers'>): Job {
  return {
    name: 'payment_withdrawals',
    every: 1000,
    lease: 60_000,
    batch: ROWS_MAX,
    async run({ sql, now }) {
      for (const id of await listChecking(sql, ROWS_MAX)) await finishCheck(sql, id, { ports, now })
      // While the engine is away the same rows stay due: the job pauses all the same.
      return 0
    },
  }
}
