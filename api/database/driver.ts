// postgres.js with one repair. A connection object outlives its connections and carries the last
// connection's state into the next: rows counted, a result half read, an error, bytes not yet
// written. The next statement then finds its rows shifted (it finds no row although the row
// exists), gets another statement's error, or its startup fails. The driver's source is patched
// while it loads, so that no installation step is needed, and a version without the patched places
// does not start. The same patch removes one copy of the written bytes.
import { registerHooks } from 'node:module'
import type Postgres from 'postgres'
import { assert } from '../../shared/assert.ts'

const SOURCE = '/node_modules/postgres/src/connection.js'
/** In `closed()`, before a waiting caller connects again. */
const CLOSED = `
    socket.removeAllListeners()
    socket = null
`
const FORGOTTEN = `${CLOSED}
    chunk = nextWriteTimer = results = errorResponse = null
    result = new Result()
    rows = 0
`
/** Later in `closed()`: the waiting callers have been told. */
const TOLD = `
    closedTime = performance.now()
    hadError && options.shared.retries++
`
const NOBODY_ASKS = `
    query = null
${TOLD}`
/**
 * The bytes were made for this write and never change afterwards: a page of rows needs no extra
 * copy.
 */
const COPIED = 'chunk = chunk ? Buffer.concat([chunk, x]) : Buffer.from(x)'
const TAKEN = 'chunk = chunk ? Buffer.concat([chunk, x]) : x'

let repaired = false

/** The driver itself. Every module that needs more than its types imports it from here. */
export const postgres = await load()

async function load(): Promise<typeof Postgres> {
  const hooks = registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      if (!url.endsWith(SOURCE)) return loaded
      repaired = true
      const source = Buffer.from(loaded.source as Uint8Array).toString()
      const repairs = [
        [CLOSED, FORGOTTEN],
        [TOLD, NOBODY_ASKS],
        [COPIED, TAKEN],
      ] as const
      return { ...loaded, source: repairs.reduce((text, [at, by]) => repair(text, at, by), source) }
    },
  })
  const { default: driver } = await import('postgres')
  hooks.deregister()
  assert(repaired, 'postgres.js was loaded before it could be repaired')
  return driver
}

function repair(source: string, place: string, better: string): string {
  assert(source.split(place).length === 2, 'this postgres.js cannot be repaired: ' + place.trim())
  return source.replace(place, () => better)
}
