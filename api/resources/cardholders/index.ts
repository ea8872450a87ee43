// The door of cardholders.
export { applyFinding } from './apply-finding.ts'
export { identityTimer } from './ask-provider.ts'
export { freezeForAlert } from './freeze.ts'
export { registerIdentityCallbacks } from './identity-callbacks.ts'
export { requireIssuable } from './require-issuable.ts'
export { cardholderRoutes } from './routes.ts'
export { unfreezeAfterReview } from './unfreeze.ts'
export { findVerification } from './verifications.ts'
