// The door of webhook endpoints.
export { type Candidate, type Found, runProbes } from './certification/run.ts'
export { endpointRoutes } from './routes.ts'
