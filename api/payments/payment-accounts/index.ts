// Entry point of payment accounts.
export { type PaymentAccountPorts, renewEnrolmentLink } from './create.ts'
export {
  auditHolder,
  type EnrolmentPorts,
  enrolPasskey,
  type HolderCall,
  openEnrolment,
} from './enrol.ts'
export { requireTogether } from './move.ts'
export { paymentAccountRoutes } from './routes.ts'
export { findAccount, lockAccount, requirePayer, saveClosed, shareAccount } from './store.ts'
export { type Payer, type PaymentAccountRow, paymentAccountView } from './view.ts'
