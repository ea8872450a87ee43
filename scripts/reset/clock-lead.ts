// The clock of a sandbox outlives its wipe: it only moves forward, because keys and the audit log,
// which stay, have moments of it.
import type { SandboxClock } from '../../shared/schemas/sandbox.ts'

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

/** The end of a sentence that says how far the clock is ahead; empty where it is not. */
export function clockLead(offsetMs: SandboxClock['offset_ms']): string {
  const [unit, unitMs] = UNITS.find(([, ms]) => offsetMs >= ms) ?? ['second', 1000]
  const many = Math.floor(offsetMs / unitMs)
  if (many === 0) return ''
  const lead = many + ' ' + unit + (many === 1 ? '' : 's')
  return ', but the clock of the sandbox stays ' + lead + ' ahead: it never goes back'
}
