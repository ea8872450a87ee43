// Entry point of API keys.
export { endPendingKeys } from './end-pending.ts'
export { recordKeyEvent } from './event.ts'
export { apiKeyRoutes } from './routes.ts'
export { hasSafeOwner, insertKey, revokeKeys } from './store.ts'
export { keyView } from './view.ts'
