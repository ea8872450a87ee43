// Jobs of billing.
import type { Job } from '../jobs/job.ts'
import { closeJob } from './closing/index.ts'
import { meterJob } from './metering/index.ts'

export const billingJobs: readonly Job[] = [meterJob, closeJob]
