// The tenant's sandbox clock. Everything of the tenant follows it: spend windows, holds, schedules,
// deadlines of disputes, grace of keys, verifications, idempotency keys, retries of webhooks, every
// recorded moment. Protections of the installation follow installation time: rate limits, caps of
// stand-in, factor challenges and signatures.
import type { EpochMs } from '../../../shared/clock.ts'
import { unixSeconds } from '../../../shared/clock.ts'
import type { SandboxClock } from '../../../shared/schemas/sandbox.ts'
import type { Context, Owner } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { hastenDeliveries, lockClock, saveClock } from './store.ts'

/** Chosen: maximum lead of a sandbox clock over installation time. */
const OFFSET_MS_MAX = 10 * 366 * 86_400_000

/** Target of a clock move: a number of milliseconds, or a moment of tenant time. */
export type ClockInput = { advanceMs: number } | { to: EpochMs }

export async function readClock({ principal, now }: Context): Promise<SandboxClock> {
  return clockView(principal, now, principal.clockOffsetMs)
}

/**
 * Answers once the engine follows the new time. Refuses with 400 a time that is not later than now
 * or is more than ten years ahead. Without an Idempotency-Key the server does not repeat this call:
 * it would advance twice.
 */
export async function moveClock(context: Context, input: ClockInput): Promise<SandboxClock> {
  const { principal } = context
  const installationNow = context.now - principal.clockOffsetMs
  return writeConfirmed(context, async (sql) => {
    const held = await lockClock(sql, principal)
    const offset = 'to' in input ? input.to - installationNow : held + input.advanceMs
    const param = 'to' in input ? 'to' : 'advance_seconds'
    if (offset <= held)
      throw new Refusal('parameter_invalid', { param, message: 'The clock only moves forward.' })
    if (offset > OFFSET_MS_MAX) {
      const message = 'The clock may be at most ten years ahead.'
      throw new Refusal('parameter_invalid', { param, message })
    }
    // Deliveries are locked before the tenant, in the order of a wipe.
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
