// Entry point of clearing files.
export { clearingFileRoutes } from './routes.ts'
