// On one machine the authorization line goes first: everything beside the engine runs at a lower priority, so that drained
// rows and webhooks wait for answers and not the other way round.
import { readdirSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Chosen: half way down. The engine preempts at once; the others still get what it leaves. */
const NICE = 10

/** Lowers a process, its threads and its present children; later ones inherit. Quietly does what it may. */
export function standBack(pid: number): void {
  for (const id of [pid, ...listed('/proc/' + pid + '/task'), ...childrenOf(pid)]) {
    try {
      setPriority(id, NICE)
    } catch {
      // Gone already, or a system without such ids: priority is a courtesy, not a need.
    }
  }
}

function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync('/proc/' + pid + '/task/' + pid + '/children', 'utf8')
    return text
      .split(' ')
      .filter((id) => id !== '')
      .map(Number)
  } catch {
    return []
  }
}

function listed(folder: string): number[] {
  try {
    return readdirSync(folder).map(Number)
  } catch {
    return []
  }
}
