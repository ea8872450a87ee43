// Entry point of payments.
export { drainedPayments } from './apply-entries.ts'
export { paymentJob } from './finish.ts'
export {
  approveOnPage,
  denyOnPage,
  type HostedPayment,
  type HostedPaymentPorts,
  openPayment,
} from './hosted.ts'
export { failCaptures, failRefunds, landCaptures, landRefunds, lockPaymentsOf } from './land.ts'
export { type PaymentRoutePorts, paymentRoutes } from './routes.ts'
