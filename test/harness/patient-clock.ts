// The system's clock for limits of time that a test is not about.
import { type Clock, systemClock } from '../../shared/clock.ts'

const SLOWER = 30

/**
 * Waits and intervals last many times longer: a busy machine makes an engine or a database late,
 * and a test of anything else takes neither for silent.
 */
export const patientClock: Clock = {
  ...systemClock,
  monotonicNs: () => systemClock.monotonicNs() / SLOWER,
  after: (delayMs, task) => systemClock.after(delayMs * SLOWER, task),
}
