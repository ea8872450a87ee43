// Entry point of disputes.
export { decideDispute } from './decide.ts'
export { disputeExpiry } from './expire.ts'
export { askForEvidence } from './require-evidence.ts'
export { disputeRoutes } from './routes.ts'
