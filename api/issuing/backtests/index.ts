// Entry point of backtests of spending controls.
export { backtestRoutes } from './routes.ts'
export { backtestsJob } from './run.ts'
