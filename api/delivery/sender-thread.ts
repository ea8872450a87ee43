// Runs in a worker thread: signs deliveries and sends them, many at a time. Connections, address book and signing keys belong to
// the thread. No environment reaches it; what it needs to know comes as workerData.
import { parentPort, workerData } from 'node:worker_threads'
import { parseCidrs } from '../../shared/address.ts'
import { assert } from '../../shared/assert.ts'
import { systemClock } from '../../shared/clock.ts'
import { type Landed, type Numbered, type Parcel, unpack } from './parcel.ts'
import { createSend } from './send.ts'
import { TenantQueue } from './tenant-queue.ts'
import { createTransmitter } from './transmit.ts'

/** Deliveries that are begun in one turn of the thread's loop: about a millisecond of work. */
const TURN_MAX = 8

export interface ThreadSettings {
  /** Private ranges that are opened, as parseCidrs reads them. */
  openedCidrs: string
  nameServers: readonly string[]
  trustedRoots: readonly string[]
  attemptMsMax: number
}

/** What the thread says: once that it runs, then what became of deliveries. */
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
  // What ends in one turn of the loop goes back in one message.
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
  // Between two turns the thread hears what is answered, and takes in what came meanwhile.
  const turn = (): void => {
    for (const { number, posting } of queue.take(TURN_MAX))
      void send(posting).then((outcome) => report({ number, outcome }))
    if (!queue.empty) setImmediate(turn)
  }
  port.on('message', (parcel: Parcel) => {
    if (queue.empty) setImmediate(turn)
    for (const one of unpack(parcel)) queue.add({ ...one, tenantId: one.posting.tenantId })
  })
  tell('ready')
}

assert(parentPort !== null, 'it runs in a thread')
open(parentPort, workerData as ThreadSettings)
