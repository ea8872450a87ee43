// The door of disputes.
export { decideDispute } from './decide.ts'
export { disputeExpiry } from './expire.ts'
export { disputeRoutes } from './routes.ts'
