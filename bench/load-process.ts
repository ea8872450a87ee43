// The process that sends. It gets one Load from its parent, and answers with one LoadResult.
import { ConnectionPool } from '../scripts/simulate/connection-pool.ts'
import { openLatency } from '../scripts/simulate/latency.ts'
import type { Load, LoadResult } from './load.ts'

process.once('message', (load) => {
  void send(load as Load).then((result) => process.send?.(result))
})

async function send(load: Load): Promise<LoadResult> {
  const requests = load.requests.map((text) => Buffer.from(text))
  const pool = new ConnectionPool({ host: '127.0.0.1', port: load.port }, load.connections)
  await pool.warm()
  const latency = openLatency()
  const answers: { [status: string]: number } = {}
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  const endsAt = startedAt + load.seconds * 1000
  let next = 0
  const one = (intendedAt: number, answered: () => void): void => {
    const bytes = requests[next++ % requests.length] as Buffer
    pool.send(bytes, (exchange) => {
      const status = exchange.kind === 'response' ? String(exchange.status) : 'broken'
      answers[status] = (answers[status] ?? 0) + 1
      latency.record((performance.now() - intendedAt) * 1000)
      answered()
    })
  }
  const { rate } = load
  await (rate === null
    ? atFullSpeed(load.connections, endsAt, one)
    : atRate({ rate, startedAt, endsAt }, one))
  const seconds = (performance.now() - startedAt) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  pool.close()
  return {
    seconds,
    answers,
    latency: latency.percentiles(),
    senderShare: (user + system) / 1e6 / seconds,
  }
}

type One = (intendedAt: number, answered: () => void) => void

function atFullSpeed(connections: number, endsAt: number, one: One): Promise<unknown> {
  const again = (resolve: () => void): void => {
    const now = performance.now()
    if (now >= endsAt) resolve()
    // The next one leaves after the pool has taken its connection back.
    else one(now, () => queueMicrotask(() => again(resolve)))
  }
  return Promise.all(
    Array.from({ length: connections }, () => new Promise<void>((resolve) => again(resolve))),
  )
}

/** What should have left is sent late rather than never, and counts from when it should have. */
function atRate(
  { rate, startedAt, endsAt }: { rate: number; startedAt: number; endsAt: number },
  one: One,
): Promise<void> {
  return new Promise((resolve) => {
    let open = 0
    let sent = 0
    let done = false
    const finish = (): void => {
      if (done && open === 0) resolve()
    }
    const tick = (): void => {
      const now = Math.min(performance.now(), endsAt)
      for (; startedAt + (sent * 1000) / rate < now; sent++) {
        open++
        one(startedAt + (sent * 1000) / rate, () => {
          open--
          finish()
        })
      }
      done = now >= endsAt
      if (done) finish()
      else setTimeout(tick, 1)
    }
    tick()
  })
}
