// The priority of processes that work beside the engine.
import { readdirSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'

/**
 * Chosen: the engine always has priority, and work beside it still finishes when every processor
 * is busy.
 */
const NICE = 10

/**
 * Lowers the priority of every thread, the garbage collector's too, and of the own session, because
 * Linux can group processes by session. An urgent snapshot, without which no decision is possible,
 * keeps its priority.
 */
export function lowerPriority(): void {
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
