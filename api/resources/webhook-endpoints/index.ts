// The door of webhook endpoints.
export { endpointRoutes } from './routes.ts'
