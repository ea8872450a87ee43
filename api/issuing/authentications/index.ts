// Entry point of 3DS authentications.
export { purgeAuthentications } from './purge.ts'
export { authenticationRoutes } from './routes.ts'
