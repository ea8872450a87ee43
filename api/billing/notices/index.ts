// Entry point of notices: messages to a tenant about its billing.
export { noticeRoutes } from './routes.ts'
export { type NewNotice, recordNotice } from './store.ts'
