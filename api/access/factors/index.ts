// Entry point of second factors.
export { findApproval } from './approval.ts'
export { approveOwnCall, challengeNamed, passkeyOffer } from './approver.ts'
export { type BodyField, bodyFields } from './body-fields.ts'
export { challengeCall, openChallenge, secretHash } from './challenge.ts'
export { type Approver, approveCall, type Decision, denyCall } from './decide.ts'
export { factorRoutes } from './routes.ts'
export type { Asker, ChallengeRow } from './store.ts'
export { purgeChallenges } from './store.ts'
