// A receiver of deliveries in a process of its own, with its reports.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Percentiles } from '../scripts/simulate/latency.ts'

/**
 * Deliveries of one group: the latency from the record of an event to its arrival; each delivery
 * counts once.
 */
export interface RequestBatch extends Percentiles {
  /** Deliveries that came again. */
  twice: number
}

export interface Report {
  readonly [line: string]: RequestBatch
}

export interface Receiver {
  /** URLs with one host each, as tenants have them. */
  urls: readonly string[]
  report(): Promise<Report>
  /** The report, and begins a new one. */
  forget(): Promise<Report>
  /** Aborts open requests. */
  releaseStuck(): Promise<void>
  stop(): void
}

/** Ports stand for hosts: a sender keeps connections for each. */
const HOSTS = 50
const RECEIVER = fileURLToPath(new URL('receiver-process.ts', import.meta.url))

export async function startReceiver(): Promise<Receiver> {
  const child = fork(RECEIVER, [String(HOSTS)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const ask = async (order: string): Promise<unknown> => {
    const answer = once(child, 'message')
    child.send(order)
    return (await answer)[0]
  }
  const [ports] = (await once(child, 'message')) as [number[]]
  return {
    urls: ports.map((port) => 'http://127.0.0.1:' + port),
    report: async () => (await ask('report')) as Report,
    forget: async () => (await ask('forget')) as Report,
    releaseStuck: async () => void (await ask('release stuck')),
    stop: () => child.disconnect(),
  }
}
