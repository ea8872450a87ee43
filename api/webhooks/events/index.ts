// The door of events.
export { sentBody } from './event-body.ts'
export {
  type EventAudience,
  eventBytes,
  eventText,
  type ManyEventsItem,
  type NewEvent,
  recordEvent,
  recordEvents,
} from './record-event.ts'
export { rewriteEvents } from './rewrite-events.ts'
export { eventRoutes } from './routes.ts'
export { EVENT_SPANS } from './store.ts'
export { eventView } from './view.ts'
