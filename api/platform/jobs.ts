// Jobs of tenants and their accounts.
import type { Job } from '../jobs/job.ts'
import { removeSignUps } from './sandbox/remove-sign-ups.ts'

export const PLATFORM_JOBS: readonly Job[] = [removeSignUps]
