// The tenant's sandbox clock. What is the tenant's goes by it: spend windows, holds, schedules, deadlines of disputes, grace of
// keys, verifications, kept answers, retries of webhooks, every moment that is recorded. What protects the installation goes by
// its own time: rate limits, caps of stand-in, factor challenges and signatures.
import type { EpochMs } from '../../../shared/clock.ts'
import { unixSeconds } from '../../../shared/clock.ts'
import type { SandboxClock } from '../../../shared/schemas/sandbox.ts'
import { changeConfiguration } from '../../configuration.ts'
import type { Context, Owner } from '../../context.ts'
import { Refusal } from '../../refuse.ts'
import { hastenDeliveries, holdClock, saveClock } from './store.ts'

/** Chosen: no sandbox is further ahead of the installation. */
const OFFSET_MS_MAX = 10 * 366 * 86_400_000

/** How far to move: by so many milliseconds, or to a moment of the tenant's time. */
export type ClockWish = { advanceMs: number } | { to: EpochMs }

export async function readClock({ principal, now }: Context): Promise<SandboxClock> {
  return clockView(principal, now, principal.clockOffsetMs)
}

/**
 * Answers when the engine goes by the new time. Refuses with 400 what would not be later than now or more than ten years ahead.
 * Not repeated by us without an Idempotency-Key: an advance would be made twice.
 */
export async function moveClock(context: Context, wish: ClockWish): Promise<SandboxClock> {
  const { principal } = context
  const installationNow = context.now - principal.clockOffsetMs
  return changeConfiguration(context, async (sql) => {
    const held = await holdClock(sql, principal)
    const offset = 'to' in wish ? wish.to - installationNow : held + wish.advanceMs
    const param = 'to' in wish ? 'to' : 'advance_seconds'
    if (offset <= held)
      throw new Refusal('parameter_invalid', { param, message: 'The clock only moves forward.' })
    if (offset > OFFSET_MS_MAX) {
      const message = 'The clock may be at most ten years ahead.'
      throw new Refusal('parameter_invalid', { param, message })
    }
    // Before the tenant is held, as a wipe takes them.
    await hastenDeliveries(sql, principal, { now: installationNow, byMs: offset - held })
    await saveClock(sql, principal, offset)
    return clockView(principal, installationNow + offset, offset)
  })
}

function clockView({ tenantId, environment }: Owner, now: EpochMs, offset: number): SandboxClock {
  return {
    id: tenantId,
    object: 'sandbox_clock',
    livemode: environment === 'live',
    now: unixSeconds(now),
    offset_ms: offset,
  }
}
