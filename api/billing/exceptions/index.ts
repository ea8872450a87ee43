// Entry point of exceptions: differences that a person has to look at.
export { billingExceptionRoutes } from './routes.ts'
export { daySubject, type NewException, noteException, recordException } from './store.ts'
