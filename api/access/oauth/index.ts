// Entry point of OAuth: platforms that act for tenants.
export type { ClientPort } from './create-client.ts'
export { endConnections } from './grant-store.ts'
export { type Nonces, nonceSource } from './nonces.ts'
export { oauthRoutes } from './routes.ts'
export { saveState } from './store.ts'
