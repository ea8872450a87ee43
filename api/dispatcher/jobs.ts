// The table of the dispatcher's jobs: the rows of every domain.
import type { Seal } from '../../shared/keyring.ts'
import { ACCESS_JOBS } from '../access/jobs.ts'
import { processorJobs } from '../billing/collection/index.ts'
import { billingJobs } from '../billing/jobs.ts'
import { hasUncounted } from '../billing/metering/index.ts'
import type { ProcessorPort } from '../billing/processor/index.ts'
import { type IssuingPorts, issuingJobs } from '../issuing/jobs.ts'
import type { Job } from '../jobs/job.ts'
import { passJobs } from '../passes/jobs.ts'
import { platformJobs } from '../platform/jobs.ts'
import { webhookJobs } from '../webhooks/jobs.ts'
import { purgeIdempotencyKeys } from '../write/idempotency.ts'

export interface DispatcherPorts extends IssuingPorts, ProcessorPort {
  seal: Seal
  /** Address for holders of passes, without a slash at its end. */
  publicUrl: string
  /** Retention of events, in milliseconds. */
  retentionMs: number
}

export function dispatcherJobs(ports: DispatcherPorts): readonly Job[] {
  return [
    purgeIdempotencyKeys,
    ...ACCESS_JOBS,
    ...platformJobs(ports),
    ...issuingJobs(ports),
    ...passJobs(ports.publicUrl),
    ...billingJobs,
    ...processorJobs(ports.processors),
    ...webhookJobs(ports.retentionMs, hasUncounted),
  ]
}
