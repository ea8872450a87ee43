// Jobs of events, endpoints and deliveries. The delivery of events has loops of its own.
import type { Job } from '../jobs/job.ts'
import { spansJob } from '../jobs/mark-spans.ts'
import { recoveryPump } from './deliveries/index.ts'
import { type EventsNeeded, retentionJob } from './delivery/retention.ts'
import { expireSecrets, sweepJob } from './endpoints/index.ts'
import { EVENT_SPANS } from './events/index.ts'

/** `retentionMs` of events; null keeps them without end. Events that are `needed` stay anyway. */
export function webhookJobs(retentionMs: number | null, needed: EventsNeeded): readonly Job[] {
  return [
    ...[expireSecrets, sweepJob, recoveryPump, retentionJob(retentionMs, needed)],
    spansJob(EVENT_SPANS),
  ]
}
