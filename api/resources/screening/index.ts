// The door of screening: what is found on lists, and what a review said. Whom it freezes is the cardholders' business.
export { listNumber, useLists } from './list-numbers.ts'
export { screeningRoutes } from './routes.ts'
export { ALERT_MOVES, type AlertMove } from './states.ts'
export {
  alertedEntries,
  findAnyAlert,
  insertAlert,
  lockAlert,
  saveReview,
  standingAlerts,
} from './store.ts'
export { hitsOf, personKey, subjectOf } from './subject.ts'
export { type AlertRow, operatorAlertView } from './view.ts'
