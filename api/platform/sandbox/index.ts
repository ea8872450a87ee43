// Entry point of the sandbox.

export type { NetworkPort } from './network.ts'
export { sandboxRoutes } from './routes.ts'
