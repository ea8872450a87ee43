// The door of scans.
export { passScanRoutes } from './routes.ts'
