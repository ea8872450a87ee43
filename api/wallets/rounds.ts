// Keeps the rounds going in which wallets are told of changed passes, while the dispatcher runs.
import { sleep } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import { createBell } from '../delivery/bell.ts'
import { repeat } from '../delivery/repeat.ts'

const STOP_MS_MAX = 2000

export interface Pushing {
  /** What is under way is left to whoever claims it next. */
  stop(): Promise<void>
}

/** `step` is a round, and says how many milliseconds to wait before the next; `close` ends what rounds call. */
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
