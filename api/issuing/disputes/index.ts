// Entry point of disputes.
export { decideDispute } from './decide.ts'
export { disputeExpiry } from './move.ts'
export { askForEvidence } from './require-evidence.ts'
export { disputeRoutes } from './routes.ts'
