// Makes snapshots in a process of its own, each in a thread that leaves nothing behind: neither its memory nor the threads of its
// collector are the engine's. It ends with the engine, however that ends.
import { readdirSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { SnapshotOrder } from './snapshot-worker.ts'

/** What became of an order; null where the snapshot is there. */
export type SnapshotFailure = string | null

/** Chosen: the engine goes first wherever it wants to, and a snapshot ends also where every processor is taken. */
const NICE = 10

/**
 * Every thread, the collector's too, and the session of its own, where Linux groups processes by them. Where nothing can be
 * decided without a snapshot, nobody is stood back for.
 */
function standBack(): void {
  try {
    writeFileSync('/proc/self/autogroup', String(NICE))
  } catch {
    // There are no groups, or the system wants to be asked later.
  }
  for (const thread of readdirSync('/proc/self/task')) {
    try {
      setPriority(Number(thread), NICE)
    } catch {
      // It ended meanwhile.
    }
  }
}

function obey(order: SnapshotOrder): void {
  if (!order.urgent) standBack()
  let failure: SnapshotFailure = null
  const worker = new Worker(new URL('./snapshot-worker.ts', import.meta.url), { workerData: order })
  worker.on('error', (error) => {
    failure = String(error)
  })
  worker.on('exit', () => process.send?.(failure))
}

process.on('message', (order) => obey(order as SnapshotOrder))
process.on('disconnect', () => process.exit(0))
