// postgres.js with one repair. A connection object outlives its connections, and what the last one died in goes over to the
// next: rows counted, a result half read, an error, bytes not yet written. The first statement afterwards then finds its rows
// moved (nothing was found, although it is there), gets another's error, or its startup is not understood. Its source is changed
// while it is loaded, so that nothing has to be installed, and a version in which the place is gone does not start.
// One copy of what is written is left out in the same way.
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
/** Further on in it: those who wait for an answer have been told. */
const TOLD = `
    closedTime = performance.now()
    hadError && options.shared.retries++
`
const NOBODY_ASKS = `
    query = null
${TOLD}`
/** What is written was made for it, and never changes afterwards: a page of rows need not be copied once more. */
const COPIED = 'chunk = chunk ? Buffer.concat([chunk, x]) : Buffer.from(x)'
const TAKEN = 'chunk = chunk ? Buffer.concat([chunk, x]) : x'

let repaired = false

/** The driver itself. Everything that needs more of it than types has it from here. */
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
