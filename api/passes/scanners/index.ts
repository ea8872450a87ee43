// Entry point of scanners.
export { scannerRoutes } from './routes.ts'
export { findScanner } from './store.ts'
