// Runs one step over and over. An external error (mostly a PostgreSQL restart) is logged once and
// followed by a backoff; a broken assertion of our own is not caught and ends the process.
import { AssertionFailure } from '../../shared/assert.ts'
import type { Logger } from '../../shared/log.ts'
import { databaseUnavailable } from '../database/unavailable.ts'
import type { Signal } from './signal.ts'

const BACK_OFF_MS_MIN = 50
const BACK_OFF_MS_MAX = 2000

export interface Repetition {
  name: string
  log: Logger
  /** Shortens the pauses between steps. */
  wake: Signal
  running: () => boolean
  /** Longest pause after failures, in milliseconds. */
  backoffMsMax?: number
  /** Returns the milliseconds to wait for the signal before the next step; 0 goes on at once. */
  step: () => Promise<number>
}

/** Resolves when `running` turned false and the current step has ended. */
export async function repeat({
  name,
  log,
  wake,
  running,
  step,
  backoffMsMax = BACK_OFF_MS_MAX,
}: Repetition): Promise<void> {
  let failures = 0
  while (running()) {
    try {
      const pauseMs = await step()
      if (failures > 0) log.info({ loop: name, failures }, 'going on')
      failures = 0
      if (pauseMs > 0 && running()) await wake.wait(pauseMs)
    } catch (error) {
      if (error instanceof AssertionFailure) throw error
      // One log message per outage; every other error is logged each time.
      if (!databaseUnavailable(error)) log.error({ loop: name, err: error }, 'failed, trying again')
      else if (failures === 0) log.warn({ loop: name, err: error }, 'database away, trying again')
      failures += 1
      await wake.wait(Math.min(backoffMsMax, BACK_OFF_MS_MIN * 2 ** Math.min(failures, 10)))
    }
  }
}
