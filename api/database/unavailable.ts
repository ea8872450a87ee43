// Tells "the database is unavailable" from "the statement is wrong", for every loop that waits for
// the database's return.

/** Errors of a connection that never answered. Every other failure is an answer. */
const SILENCE: ReadonlySet<unknown> = new Set([
  'QUERY_DEADLINE',
  'DATABASE_SILENT',
  'CONNECT_TIMEOUT',
  'ETIMEDOUT',
])

/** True where the error says that nothing was heard, so that the database may hang. */
export function databaseSilent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && SILENCE.has(error.code)
}

/**
 * Driver and system errors, then SQLSTATEs of a server that stops, starts, is full or has lost its
 * disk space.
 */
const UNAVAILABLE: ReadonlySet<unknown> = new Set([
  'TX_LOST',
  'QUERY_DEADLINE',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'DATABASE_SILENT',
  '53100',
  '53200',
  '53300',
  '53400',
  '55P03',
  '57014',
  '57P01',
  '57P02',
  '57P03',
  '25006',
])

/** Returns true when the same call may succeed later without any change. */
export function databaseUnavailable(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (UNAVAILABLE.has(error.code) || String(error.code).startsWith('08'))
  )
}
