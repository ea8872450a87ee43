// The door of clearing files.
export { clearingFileRoutes } from './routes.ts'
