// The number of connections the API accepts, within the process's limit of descriptors.
import { readFileSync } from 'node:fs'
import type { SlotLimits } from '../../shared/connection-slots.ts'

/**
 * Chosen: below the descriptors that systems usually grant a process; three quarters of the slots
 * are for addresses whose callers have shown a key. The reserved slots keep health probes answered
 * where callers with keys fill all others.
 */
const CONNECTION_LIMITS = { max: 8192, strangersMax: 2048, addressMax: 1024, reserved: 64 }

/**
 * Descriptors for everything but connections of the API: PostgreSQL, engine, outgoing calls,
 * threads, files.
 */
const OTHER_DESCRIPTORS = 256
/** Fewer connections than these are no service. */
const CONNECTIONS_MIN = 64

/**
 * Limits that this many descriptors suffice for; null: the number is not known, the limits are the
 * usual ones.
 */
export function connectionLimits(descriptors: number | null): Required<SlotLimits> {
  const free = (descriptors ?? Number.POSITIVE_INFINITY) - OTHER_DESCRIPTORS
  const max = Math.min(CONNECTION_LIMITS.max, Math.max(CONNECTIONS_MIN, free))
  return {
    max,
    strangersMax: Math.min(CONNECTION_LIMITS.strangersMax, Math.floor(max / 4)),
    addressMax: Math.min(CONNECTION_LIMITS.addressMax, Math.floor(max / 2)),
    reserved: Math.min(CONNECTION_LIMITS.reserved, Math.floor(max / 8)),
  }
}

/** True where the process may open too few descriptors for the usual limits. */
export function isLowered({ max }: SlotLimits): boolean {
  return max < CONNECTION_LIMITS.max
}

/** Descriptors that this process may have open at once; null where the system does not tell. */
export function descriptorsMax(): number | null {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return soft === undefined ? null : Number(soft)
  } catch {
    return null
  }
}
