// Entry point of 3DS authentications.
export { authenticationRoutes } from './routes.ts'
