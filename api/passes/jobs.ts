// Jobs of passes and their wallets.
import type { Job } from '../jobs/job.ts'
import { templateFollower } from './passes/index.ts'
import { purgeGoogleCallbacks } from './wallets/google/forget-callbacks.ts'

/** `publicUrl`: address for holders of passes, without a slash at its end. */
export function passJobs(publicUrl: string): readonly Job[] {
  return [templateFollower(publicUrl), purgeGoogleCallbacks]
}
