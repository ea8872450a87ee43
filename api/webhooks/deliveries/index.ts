// Entry point of deliveries.
export { recoveryPump } from './recoveries/pump.ts'
export { recoveryRoutes } from './recovery-routes.ts'
export { deliveryRoutes } from './routes.ts'
