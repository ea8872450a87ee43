// Runs the push rounds of wallets while the dispatcher runs.
import { sleep } from '../../../shared/clock.ts'
import type { Logger } from '../../../shared/log.ts'
import { createBell } from '../../jobs/bell.ts'
import { repeat } from '../../jobs/worker-loop.ts'

const STOP_MS_MAX = 2000

export interface Pushing {
  /** Unfinished pushes are left to the next claim. */
  stop(): Promise<void>
}

/**
 * `step` runs a round and returns the milliseconds until the next; `close` closes the clients of
 * the rounds.
 */
export function startRounds(
  name: string,
  log: Logger,
  { step, close }: { step: () => Promise<number>; close: () => Promise<void> | void },
): Pushing {
  const bell = createBell()
  let runs = true
  const ended = repeat({ name, log, bell, running: () => runs, step })
  return {
    async stop() {
      runs = false
      await close()
      bell.ring()
      await Promise.race([ended, sleep(STOP_MS_MAX)])
    },
  }
}
