// Entry point of exchange rates.
export { fxRateRoutes } from './routes.ts'
export { insertTable, lockRates } from './store.ts'
