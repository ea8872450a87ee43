// Jobs of events, endpoints and deliveries. The delivery of events has loops of its own.
import type { Job } from '../jobs/job.ts'
import { recoveryPump } from './deliveries/index.ts'
import { retentionJob } from './delivery/retention.ts'
import { expireSecrets, sweepJob } from './endpoints/index.ts'

/** `retentionMs` of events; null keeps them without end. */
export function webhookJobs(retentionMs: number | null): readonly Job[] {
  return [expireSecrets, sweepJob, recoveryPump, retentionJob(retentionMs)]
}
