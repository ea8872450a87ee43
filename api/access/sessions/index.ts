// Entry point of sessions: signed-in browsers.
export { clearedCookie, sessionCookie } from './cookie.ts'
export { findSession, sessionAt } from './find.ts'
export { cookieForRepeat, IDLE_MS, openSession, purgeSessions, renewSession } from './session.ts'
export {
  endOtherSessions,
  endSession,
  type KnownSession,
  listSessions,
  loadSession,
  type Membership,
  type SessionRow,
} from './store.ts'
