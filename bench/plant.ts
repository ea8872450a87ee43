// Loaded before the engine (`--import`): slows each message by BENCH_PLANT percent of the processor
// time that the engine itself uses for one. This shows that the budget notices a slowdown. No code
// of the engine knows of it.
import { isMainThread } from 'node:worker_threads'

/** Messages after which the engine's own time is looked at again. */
const LOOK_EVERY = 1000
const PART = Number(process.env['BENCH_PLANT'] ?? 0) / 100

interface Server {
  post(pattern: string, handler: (...parts: unknown[]) => void): Server
}
type Open = (options: object) => Server

let messages = 0
let wastedUs = 0
let wasteUs = 0
let cpuBefore = process.cpuUsage()

function slow(): void {
  messages += 1
  if (messages === LOOK_EVERY) {
    const { user, system } = process.cpuUsage(cpuBefore)
    wasteUs = (PART * (user + system - wastedUs)) / messages
    cpuBefore = process.cpuUsage()
    messages = 0
    wastedUs = 0
  }
  const startedAt = performance.now()
  const untilMs = startedAt + wasteUs / 1000
  let now = startedAt
  while (now < untilMs) now = performance.now()
  wastedUs += (now - startedAt) * 1000
}

if (isMainThread && PART > 0) {
  // The package's index copies its exports from this module when the engine imports it, later than
  // this.
  const inner = new URL('uws.mjs', import.meta.resolve('uWebSockets.js')).href
  const { default: library } = (await import(inner)) as { default: { App: Open } }
  const open = library.App
  library.App = (options) => {
    const server = open(options)
    const post = server.post.bind(server)
    server.post = (pattern, handler) =>
      post(pattern, (...parts) => {
        slow()
        handler(...parts)
      })
    return server
  }
}
