// The number of overdue calls that one worker still waits for. Beyond it a call ends at its
// deadline.

export interface LateReplyLimit {
  /** False if no slot is left, in total or for this tenant. */
  take(tenantId: string): boolean
  release(tenantId: string): void
}

/**
 * Chosen: one tenant holds at most a quarter of the slots, so a silent tenant cannot use up all of
 * them.
 */
export function createLateReplyLimit(slotsMax: number): LateReplyLimit {
  const tenantSlotsMax = Math.ceil(slotsMax / 4)
  const taken = new Map<string, number>()
  let total = 0
  return {
    take(tenantId) {
      const held = taken.get(tenantId) ?? 0
      if (total >= slotsMax || held >= tenantSlotsMax) return false
      taken.set(tenantId, held + 1)
      total += 1
      return true
    },
    release(tenantId) {
      const held = taken.get(tenantId) ?? 0
      if (held <= 1) taken.delete(tenantId)
      else taken.set(tenantId, held - 1)
      total -= 1
    },
  }
}
