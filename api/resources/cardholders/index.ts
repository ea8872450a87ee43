// The door of cardholders.
export { freezeForAlert } from './freeze.ts'
export { requireIssuable } from './require-issuable.ts'
export { cardholderRoutes } from './routes.ts'
export { unfreezeAfterReview } from './unfreeze.ts'
