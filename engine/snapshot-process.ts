// Makes snapshots in a process of its own, each in a thread that leaves nothing behind: the engine
// shares neither its memory nor its garbage collector threads. The process ends with the engine,
// however the engine ends.
import { readdirSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { SnapshotOrder } from './snapshot-worker.ts'

/** Result of an order; null if the snapshot was made. */
export type SnapshotFailure = string | null

/**
 * Chosen: the engine always has priority, and a snapshot still finishes when every processor is
 * busy.
 */
const NICE = 10

/**
 * Lowers the priority of every thread, the garbage collector's too, and of the own session, because
 * Linux can group processes by session. An urgent snapshot, without which no decision is possible,
 * keeps its priority.
 */
function lowerPriority(): void {
  try {
    writeFileSync('/proc/self/autogroup', String(NICE))
  } catch {
    // The system has no groups, or refuses for now.
  }
  for (const thread of readdirSync('/proc/self/task')) {
    try {
      setPriority(Number(thread), NICE)
    } catch {
      // The thread has ended meanwhile.
    }
  }
}

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
