// Entry point of API keys.
export { readCidrs } from './cidrs.ts'
export { endPendingKeys } from './end-pending.ts'
export { apiKeyRoutes } from './routes.ts'
export { recordKeyEvent } from './states.ts'
export { hasSafeOwner, insertKey, revokeKeys } from './store.ts'
export { keyView } from './view.ts'
