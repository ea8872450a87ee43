// Bounds a caller's wait for the database. The statement itself ends by statement_timeout or the
// socket's silence.
import { systemClock } from '../../shared/clock.ts'

/** The database did not answer in time; whether the statement took effect is unknown. */
class QueryDeadline extends Error {
  override readonly name = 'QueryDeadline'
  readonly code = 'QUERY_DEADLINE'
}

/** Resolves to the answer, or rejects with QueryDeadline after `deadlineMs`. */
export function withDeadline<Value>(query: PromiseLike<Value>, deadlineMs: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = systemClock.after(deadlineMs, () =>
      reject(new QueryDeadline('the database did not answer within ' + deadlineMs + ' ms')),
    )
    query.then(
      (value) => {
        timer.cancel()
        resolve(value)
      },
      (error) => {
        timer.cancel()
        reject(error)
      },
    )
  })
}
