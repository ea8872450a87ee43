// The door of scans.
export { passScanRoutes } from './routes.ts'
export { resultOf } from './scan.ts'
