// The door of programs.
export { programRoutes } from './routes.ts'
