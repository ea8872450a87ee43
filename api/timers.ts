// Every timer of every module, and the worker loop that runs them.
import { type Clock, sleep } from '../shared/clock.ts'
import { retentionTimer } from './delivery/retention.ts'
import { purgeIdempotencyKeys } from './idempotency.ts'
import { endPendingKeys } from './resources/api-keys/index.ts'
import { purgeAuthentications } from './resources/authentications/index.ts'
import { purgeCardTokens } from './resources/card-tokens/index.ts'
import { identityTimer, rescreenTimer } from './resources/cardholders/index.ts'
import { purgeReveals } from './resources/cards/index.ts'
import { disputeExpiry } from './resources/disputes/index.ts'
import { purgeChallenges } from './resources/factors/index.ts'
import { templateFollower } from './resources/passes/index.ts'
import { purgeTries } from './resources/users/index.ts'
import { recoveryPump } from './resources/webhook-deliveries/index.ts'
import { expireSecrets, sweepTimer } from './resources/webhook-endpoints/index.ts'
import type { Timer, TimerWorld } from './timer.ts'
import { purgeGoogleCallbacks } from './wallets/google/forget-callbacks.ts'

const TIMERS: readonly Timer[] = [
  endPendingKeys,
  identityTimer,
  rescreenTimer,
  disputeExpiry,
  purgeReveals,
  purgeCardTokens,
  purgeAuthentications,
  purgeIdempotencyKeys,
  purgeTries,
  purgeChallenges,
  expireSecrets,
  sweepTimer,
  recoveryPump,
  templateFollower,
  purgeGoogleCallbacks,
  retentionTimer(),
]

/** Pause after a round without work. */
const ROUND_MS = 1000

export interface TimersWorld extends Omit<TimerWorld, 'now'> {
  clock: Clock
  /** True while the clock is trustworthy; otherwise the timers do nothing. */
  watch: { readonly agrees: boolean }
}

/**
 * Runs until the signal. A failed timer is logged and retried in the next round; the others
 * continue.
 */
export async function runTimers(
  world: TimersWorld,
  signal: AbortSignal,
  timers: readonly Timer[] = TIMERS,
): Promise<void> {
  const even = timers.filter(({ pauseMs }) => pauseMs !== undefined)
  const loops = [timers.filter((timer) => !even.includes(timer)), ...even.map((timer) => [timer])]
  await Promise.all(loops.map((loop) => runLoop(world, signal, loop)))
}

async function runLoop(
  world: TimersWorld,
  signal: AbortSignal,
  timers: readonly Timer[],
): Promise<void> {
  while (!signal.aborted) {
    let pauseMs = ROUND_MS
    for (const timer of timers) {
      if (signal.aborted || !world.watch.agrees) break
      if ((await runOne(timer, world)) > 0) pauseMs = timer.pauseMs ?? 0
    }
    if (pauseMs > 0) await sleep(pauseMs, signal)
  }
}

async function runOne(timer: Timer, world: Omit<TimerWorld, 'now'>): Promise<number> {
  try {
    return await timer.run({ ...world, now: world.clock.nowMs() })
  } catch (error) {
    world.log.warn({ err: error, timer: timer.name }, 'a timer failed')
    return 0
  }
}
