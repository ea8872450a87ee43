// Runs in a worker thread: signs deliveries and sends them, many at a time. Connections, address
// book and signing keys belong to the thread. The thread gets no environment; its settings come as
// workerData.
import { parentPort, workerData } from 'node:worker_threads'
import { parseCidrs } from '../../../shared/address.ts'
import { assert } from '../../../shared/assert.ts'
import { systemClock } from '../../../shared/clock.ts'
import { createSend } from './send.ts'
import { TenantQueue } from './tenant-queue.ts'
import { createTransmitter } from './transmit.ts'
import { type Landed, type Numbered, unpack, type WorkerBatch } from './worker-batch.ts'

/** Deliveries begun in one turn of the thread's event loop: about a millisecond of work. */
const TURN_MAX = 8

export interface ThreadSettings {
  /** Opened private ranges, as parseCidrs reads them. */
  openedCidrs: string
  nameServers: readonly string[]
  trustedRoots: readonly string[]
  attemptMsMax: number
}

/** Messages of the thread: once `ready`, then outcomes of deliveries. */
export type ThreadMessage = 'ready' | readonly Landed[]

function open(port: NonNullable<typeof parentPort>, settings: ThreadSettings): void {
  const { openedCidrs, ...others } = settings
  const opened = parseCidrs(openedCidrs)
  assert(opened.ok, 'the ranges were written by cidrsText')
  const send = createSend(
    createTransmitter({ clock: systemClock, opened: opened.value, ...others }),
    systemClock,
  )
  let landed: Landed[] = []
  const tell = (message: ThreadMessage): void => port.postMessage(message)
  // Outcomes of one turn of the event loop go back in one message.
  const report = (one: Landed): void => {
    if (landed.length === 0) {
      setImmediate(() => {
        tell(landed)
        landed = []
      })
    }
    landed.push(one)
  }
  const queue = new TenantQueue<Numbered & { tenantId: string }>()
  // Between two turns the thread reads answers and takes in new deliveries.
  const turn = (): void => {
    for (const { number, posting } of queue.take(TURN_MAX))
      void send(posting).then((outcome) => report({ number, outcome }))
    if (!queue.empty) setImmediate(turn)
  }
  port.on('message', (parcel: WorkerBatch) => {
    if (queue.empty) setImmediate(turn)
    for (const one of unpack(parcel)) queue.add({ ...one, tenantId: one.posting.tenantId })
  })
  tell('ready')
}

assert(parentPort !== null, 'it runs in a thread')
open(parentPort, workerData as ThreadSettings)
