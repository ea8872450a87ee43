// Entry point of payment methods.
export { paymentMethodRoutes } from './routes.ts'
export { detachOthers, findMethodOf, hasMethod } from './store.ts'
export { syncMethods } from './sync.ts'
