// Entry point of scans.
export { passScanRoutes } from './routes.ts'
export { resultOf } from './scan.ts'
