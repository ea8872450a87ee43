// Entry point of withdrawals.
export {
  approveWithdrawal,
  denyWithdrawal,
  type HostedWithdrawal,
  type HostedWithdrawalPorts,
  openWithdrawal,
} from './hosted.ts'
export { failWithdrawal, landWithdrawal } from './outcome.ts'
export { withdrawalJob } from './read.ts'
export { paymentWithdrawalRoutes, type WithdrawalRoutePorts } from './routes.ts'
export { findOpenWithdrawal } from './store.ts'
