// The door of the sandbox.
export { sandboxRoutes } from './routes.ts'
