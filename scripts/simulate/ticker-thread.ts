// The thread behind the ticker: sleeps, posts, sleeps. Ended by its owner.
import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../shared/assert.ts'
import type { TickerOrders } from './ticker.ts'

const orders: TickerOrders = workerData
const port = parentPort
assert(port !== null, 'the ticker runs in a thread of its own')
const sleeper = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

for (;;) {
  Atomics.wait(sleeper, 0, 0, orders.periodMs)
  if (Atomics.exchange(orders.pending, 0, 1) === 0) port.postMessage(null)
}
