// Entry point of visits of the processor's portal.
export { portalSessionRoutes } from './routes.ts'
