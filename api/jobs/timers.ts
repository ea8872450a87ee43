// Every timer of every module, and the worker loop that runs them.
import { type Clock, sleep } from '../../shared/clock.ts'
import { purgeChallenges } from '../access/factors/index.ts'
import { purgeTries } from '../access/identities/index.ts'
import { endPendingKeys } from '../access/keys/index.ts'
import { purgeAuthentications } from '../issuing/authentications/index.ts'
import { purgeCardTokens } from '../issuing/card-tokens/index.ts'
import { identityTimer, rescreenTimer } from '../issuing/cardholders/index.ts'
import { purgeReveals } from '../issuing/cards/index.ts'
import { disputeExpiry } from '../issuing/disputes/index.ts'
import { templateFollower } from '../passes/passes/index.ts'
import { purgeGoogleCallbacks } from '../passes/wallets/google/forget-callbacks.ts'
import { recoveryPump } from '../webhooks/deliveries/index.ts'
import { retentionTimer } from '../webhooks/delivery/retention.ts'
import { expireSecrets, sweepTimer } from '../webhooks/endpoints/index.ts'
import { purgeIdempotencyKeys } from '../write/idempotency.ts'
import type { Timer, TimerWorld } from './timer.ts'

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
