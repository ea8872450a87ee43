// Entry point of the sandbox.
export { sandboxRoutes } from './routes.ts'
