// Makes snapshots in a process of its own, each in a thread that leaves nothing behind: the engine
// shares neither its memory nor its garbage collector threads. The process ends with the engine,
// however the engine ends.
import { Worker } from 'node:worker_threads'
import { lowerPriority } from './lower-priority.ts'
import type { SnapshotOrder } from './snapshot-worker.ts'

/** Result of an order; null if the snapshot was made. */
export type SnapshotFailure = string | null

function obey(order: SnapshotOrder): void {
  if (!order.urgent) lowerPriority()
  let failure: SnapshotFailure = null
  const worker = new Worker(new URL('./snapshot-worker.ts', import.meta.url), { workerData: order })
  worker.on('error', (error) => {
    failure = String(error)
  })
  worker.on('exit', () => process.send?.(failure))
}

process.on('message', (order) => obey(order as SnapshotOrder))
process.on('disconnect', () => process.exit(0))
