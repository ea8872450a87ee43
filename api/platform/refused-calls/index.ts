// Entry point of refused calls.
export { RefusedCalls } from './note.ts'
export { refusedCallRoutes } from './routes.ts'
