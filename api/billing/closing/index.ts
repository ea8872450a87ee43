// Entry point of closing: the job that passes boundaries and closes months of usage.
export { closeJob } from './job.ts'
export { lateJob } from './late.ts'
