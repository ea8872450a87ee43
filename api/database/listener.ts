// Listens to one channel of PostgreSQL on its own connection, and reports when the connection is
// down: notices sent in between are lost.
import { sleep } from '../../shared/clock.ts'
import { openPool } from './pool.ts'

const BACKOFF_MS_MIN = 20
const BACKOFF_MS_MAX = 1000

export interface ListenerOptions {
  databaseUrl: string
  channel: string
  /** From now on every notice arrives; earlier notices are unknown. */
  onListening(): void
  /** The connection is gone. */
  onDeaf(): void
  onNotify(payload: string): void
}

export interface Listener {
  close(): Promise<void>
}

/** Listens at once and again after every lost connection, until it is closed. */
export function listenTo(options: ListenerOptions): Listener {
  const stopping = new AbortController()
  let lost = (): void => {}
  const sql = openPool(options.databaseUrl, {
    max: 1,
    applicationName: 'svc-listen-' + options.channel,
    onNotify: (_channel, payload) => options.onNotify(payload),
    onClose: () => lost(),
  })
  const run = async (): Promise<void> => {
    let backoffMs = BACKOFF_MS_MIN
    while (!stopping.signal.aborted) {
      const gone = new Promise<void>((resolve) => {
        lost = () => {
          options.onDeaf()
          resolve()
        }
      })
      try {
        await sql`listen ${sql(options.channel)}`
        options.onListening()
        backoffMs = BACKOFF_MS_MIN
        await gone
      } catch {
        // PostgreSQL is not up yet, or down again: the modules that need it report that.
      }
      await sleep(backoffMs, stopping.signal)
      backoffMs = Math.min(backoffMs * 2, BACKOFF_MS_MAX)
    }
  }
  const ended = run()
  return {
    async close() {
      stopping.abort()
      await sql.end({ timeout: 0 })
      lost()
      await ended
    },
  }
}
