// A receiver of deliveries in a process of its own, and what it tells about them.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Percentiles } from '../scripts/simulate/latency.ts'

/** Of one line: how long from the record of an event until it was here; each delivery counts once. */
export interface Arrivals extends Percentiles {
  /** Deliveries that came again. */
  twice: number
}

export interface Report {
  readonly [line: string]: Arrivals
}

export interface Receiver {
  url: string
  report(): Promise<Report>
  /** The report, and begins a new one. */
  forget(): Promise<Report>
  stop(): void
}

const RECEIVER = fileURLToPath(new URL('receiver-process.ts', import.meta.url))

export async function startReceiver(): Promise<Receiver> {
  const child = fork(RECEIVER, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const ask = async (order: string): Promise<unknown> => {
    const answer = once(child, 'message')
    child.send(order)
    return (await answer)[0]
  }
  const [port] = await once(child, 'message')
  return {
    url: 'http://127.0.0.1:' + port,
    report: async () => (await ask('report')) as Report,
    forget: async () => (await ask('forget')) as Report,
    stop: () => child.disconnect(),
  }
}
