// Entry point of payment mandates.
export { type Cover, findCover, lockCover, lockRefundsOf } from './cover.ts'
export {
  approveMandate,
  denyMandate,
  type HostedMandate,
  type HostedMandatePorts,
  openMandate,
} from './hosted.ts'
export { paymentMandateRoutes } from './routes.ts'
export { noteExhausted, revokeMandatesOf } from './store.ts'
