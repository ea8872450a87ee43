// The door of events.
export {
  type EventAudience,
  eventBytes,
  type NewEvent,
  type RecordedEvent,
  recordEvent,
} from './record-event.ts'
export { eventRoutes } from './routes.ts'
