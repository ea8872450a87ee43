// Entry point of screening: hits on lists, and results of reviews. The cardholders module freezes
// the cardholder.
export { listNumber, useLists } from './list-numbers.ts'
export { screeningRoutes } from './routes.ts'
export { ALERT_MOVES, type AlertMove } from './states.ts'
export {
  alertedEntries,
  findAnyAlert,
  insertAlert,
  lockAlert,
  openAlerts,
  saveReview,
} from './store.ts'
export { hitsOf, personKey, subjectOf } from './subject.ts'
export { type AlertRow, operatorAlertView } from './view.ts'
