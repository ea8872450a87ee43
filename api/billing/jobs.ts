// Jobs of billing.
import type { Job } from '../jobs/job.ts'
import { closeJob } from './closing/index.ts'
import { meterJob, recountJob } from './metering/index.ts'
import { newPricesJob } from './subscriptions/index.ts'

export const billingJobs: readonly Job[] = [meterJob, closeJob, recountJob, newPricesJob]
