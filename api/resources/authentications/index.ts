// The door of 3DS authentications.
export { forgetAuthentications } from './forget.ts'
export { authenticationRoutes } from './routes.ts'
