// The door of the API keys.
export { endPendingKeys } from './end-pending.ts'
export { findKeyByHash, type KeyRow } from './lookup.ts'
export { apiKeyRoutes } from './routes.ts'
