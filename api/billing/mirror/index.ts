// Entry point of the mirror: the processor's meters show our usage, and no price hangs on them.
import type { Job } from '../../jobs/job.ts'
import type { Processors } from '../processor/index.ts'
import { checkMirror } from './check.ts'
import { mirrorUsage } from './tell.ts'

export { forgetTold } from './store.ts'

export function mirrorJobs(processors: Processors): readonly Job[] {
  return [mirrorUsage(processors), checkMirror(processors)]
}
