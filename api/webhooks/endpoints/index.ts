// Entry point of webhook endpoints.
export { type Candidate, type Found, runProbes } from './certification/run.ts'
export { expireSecrets, sweepJob } from './jobs.ts'
export { type EndpointPorts, endpointRoutes } from './routes.ts'
export { findEndpoint, lockEndpoint } from './store.ts'
export type { EndpointRow } from './view.ts'
