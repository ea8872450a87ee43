// Jobs of billing.
import type { Job } from '../jobs/job.ts'
import { closeJob, lateJob } from './closing/index.ts'
import { meterJob, recountJob } from './metering/index.ts'
import { newPricesJob } from './subscriptions/index.ts'

export const billingJobs: readonly Job[] = [meterJob, closeJob, lateJob, recountJob, newPricesJob]
