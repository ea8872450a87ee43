// A process that makes what it is to send, and then sends it, one order after the other: its code
// is compiled once, and what sends takes no time of what is measured.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { keepOff, raisePriority } from '../scripts/start/process-priority.ts'
import type { Sent } from './generator.ts'

export type Order<Made, Load> = { make: Made } | { send: Load }
export type Reply = { made: number } | { sent: Sent } | { failed: string }

export interface Sender<Made, Load> {
  /** Makes what every sending takes from its first on, in place of what was made before. */
  make(what: Made): Promise<void>
  /** Opens connections, sends, waits for every answer, and tells how it went. */
  send(load: Load): Promise<Sent>
  stop(): Promise<void>
}

/**
 * Where a sender runs: off the processor on which the engine decides, or wherever the scheduler
 * puts it.
 */
export type Place = 'apart' | 'anywhere'

/** Starts the process whose main file this is; `name` says who ended, should it. */
export function startSender<Made, Load>(
  file: URL,
  name: string,
  place: Place = 'apart',
): Sender<Made, Load> {
  const child = fork(fileURLToPath(file), {
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  // It stands for what is on other machines: what drains here must not delay what it sends, and
  // what it takes must not be taken from whoever decides here.
  const { pid } = child
  if (pid !== undefined) {
    raisePriority(pid)
    // Its first answer, to what it makes: its threads have begun.
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
