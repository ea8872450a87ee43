// Entry point of the calls that need a second operator.
import type { Job } from '../../jobs/job.ts'
import { deleteApprovals } from './store.ts'

export { type OperatorCall, requireSecondOperator } from './require.ts'
export { operatorApprovalRoutes } from './routes.ts'

const KEPT_MS = 30 * 86_400_000

/** Removes them after thirty days; the log of operators keeps the decision and the call. */
export const purgeOperatorApprovals: Job = {
  name: 'purge_operator_approvals',
  every: 60_000,
  lease: 60_000,
  batch: 1000,
  run: ({ sql, now, batch }) => deleteApprovals(sql, { before: now - KEPT_MS, max: batch }),
}
