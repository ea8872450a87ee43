// Entry point of payments.
export { drainedPayments } from './apply-entries.ts'
export type { PaymentEnginePort } from './engine.ts'
export { paymentJob } from './finish.ts'
export {
  approveOnPage,
  denyOnPage,
  type HostedPayment,
  type HostedPaymentPorts,
  openPayment,
} from './hosted.ts'
export { failCaptures, failRefunds, landCaptures, landRefunds, lockPaymentsOf } from './land.ts'
export { readBatchPayments } from './read.ts'
export { finishRelease } from './release.ts'
export { listAbandoned, listUndecided, requeueRefunds, resolveReviews } from './review-store.ts'
export { type PaymentRoutePorts, paymentRoutes } from './routes.ts'
export { beginAbandon, retryFailed } from './settle-again.ts'
export { lockAnyPayment } from './store.ts'
export type { PaymentRow } from './view.ts'
