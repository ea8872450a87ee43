// The door of programs.
export { requireActiveProgram } from './require-active.ts'
export { programRoutes } from './routes.ts'
