// Entry point of payment methods.
export { paymentMethodRoutes } from './routes.ts'
export { findMethodOf, hasMethod } from './store.ts'
export { syncMethods } from './sync.ts'
