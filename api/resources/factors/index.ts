// The door of second factors.
export { type ApprovedCall, useFactor } from './use.ts'
