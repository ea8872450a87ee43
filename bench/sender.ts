// A process that makes requests and then sends them, one order after the other: its code is
// compiled once, and sending takes no time of the measured process.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { keepOff, raisePriority } from '../scripts/start/process-priority.ts'

export interface Sent {
  /** During which it sent, without the warm-up. */
  seconds: number
  /** Answers to requests that were due in those seconds, by status; '0' without an answer. */
  answers: { readonly [status: string]: number }
  /**
   * HDR histograms for `percentilesOf` and `curveOf`: from the intended moment to the answer, and
   * to the sending.
   */
  latency: string
  lateness: string
  /** Part of one processor that the sender used. */
  senderShare: number
  /**
   * Good answers to all requests, the warm-up included: the work behind a server's processor time.
   */
  all: number
  /** Requests that were to leave at their moment and had not been made. */
  missing: number
  /** Requests whose answers had not come when the wait after the end was over. */
  unanswered: number
}

export type Order<Made, Load> = { make: Made } | { send: Load }
export type Reply = { made: number } | { sent: Sent } | { failed: string }

export interface Sender<Made, Load> {
  /** Makes the requests of every later sending, in place of earlier ones. */
  make(what: Made): Promise<void>
  /** Opens connections, sends, waits for every answer, and returns the results. */
  send(load: Load): Promise<Sent>
  stop(): Promise<void>
}

/**
 * Where a sender runs: off the processor on which the engine decides, or wherever the scheduler
 * puts it.
 */
export type Place = 'apart' | 'anywhere'

/** Starts the process with this main file; `name` is used in the error if it ends early. */
export function startSender<Made, Load>(
  file: URL,
  name: string,
  place: Place = 'apart',
): Sender<Made, Load> {
  const child = fork(fileURLToPath(file), {
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  // The process stands for other machines: the drain must not delay it, and it must take nothing
  // from the deciding process.
  const { pid } = child
  if (pid !== undefined) {
    raisePriority(pid)
    // Its first answer shows that its threads have begun.
    if (place === 'apart') child.once('message', () => keepOff(pid))
  }
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const obey = (order: Order<Made, Load>): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const ended = (): void => reject(new Error(name + ' ended'))
      child.once('exit', ended)
      child.once('message', (reply) => {
        child.off('exit', ended)
        resolve(reply as Reply)
      })
      child.send(order)
    })
  return {
    async make(make) {
      const reply = await obey({ make })
      if ('failed' in reply) throw new Error(reply.failed)
    },
    async send(send) {
      const reply = await obey({ send })
      if ('sent' in reply) return reply.sent
      throw new Error('failed' in reply ? reply.failed : 'nothing was sent')
    },
    async stop() {
      child.disconnect()
      await exited
    },
  }
}
