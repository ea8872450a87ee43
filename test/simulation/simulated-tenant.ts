// Tenants that approve, decline, fail, hang and come late, by the seed.
import type { TenantCaller, TenantReply } from '../../engine/tenant/caller.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Random } from './random.ts'

export interface TenantOptions {
  random: Random
  clock: Clock
  /** False once the world calms down: every tenant answers in time. */
  faults(): boolean
}

export function simulatedTenant(options: TenantOptions): TenantCaller {
  const { random, clock, faults } = options
  return {
    inFlight: () => 0,
    close: async () => {},
    call: () => {
      const reply = replyOf(random)
      const delayMs = faults() && random.chance(0.2) ? 1400 + random.below(4000) : random.below(300)
      // The simulated clock settles it, not the machine's task queue.
      const settled = {
        // biome-ignore lint/suspicious/noThenProperty: a promise whose time is the simulation's.
        then: (settle: (reply: TenantReply) => void) => clock.after(delayMs, () => settle(reply)),
      }
      return {
        reply: settled as unknown as Promise<TenantReply>,
        spent: () => ({ signUs: 1, connectUs: 0 }),
      }
    },
  }
}

function replyOf(random: Random): TenantReply {
  const base = {
    httpStatus: 200,
    latencyMs: 5,
    attempts: 1,
    errorHint: null,
    signUs: 1,
    connectUs: 0,
  }
  const dice = random.below(10)
  if (dice < 2) return { ...base, outcome: 'connection_error', answer: null }
  const answer = { reason: null, approvedAmountCents: null, metadata: null, dropped: [] }
  if (dice < 4)
    return { ...base, outcome: 'answered_decline', answer: { ...answer, approve: false } }
  const approvedAmountCents = dice < 6 ? 1 + random.below(1500) : null
  return {
    ...base,
    outcome: 'answered_approve',
    answer: { ...answer, approve: true, approvedAmountCents },
  }
}
