// Entry point of notices: messages to a tenant about its billing.
export { noticeRoutes } from './routes.ts'
export {
  lockUnmailed,
  type NewNotice,
  recordNotice,
  saveMailed,
  type UnmailedNotice,
} from './store.ts'
