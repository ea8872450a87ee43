// Entry point of payments.
export {
  failCaptures,
  failRefunds,
  landCaptures,
  landRefunds,
  lockPaymentsOf,
} from './land.ts'
