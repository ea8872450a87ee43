// Jobs of tenants and their accounts.
import type { Seal } from '../../shared/keyring.ts'
import type { Job } from '../jobs/job.ts'
import { spansJob } from '../jobs/mark-spans.ts'
import { AUDIT_SPANS } from './audit/index.ts'
import { billingMails } from './billing-mails/index.ts'
import { purgeOperatorApprovals } from './operator-approvals/index.ts'
import { removeSignUps } from './sandbox/remove-sign-ups.ts'

export function platformJobs(ports: { seal: Seal }): readonly Job[] {
  return [removeSignUps, purgeOperatorApprovals, billingMails(ports), spansJob(AUDIT_SPANS)]
}
