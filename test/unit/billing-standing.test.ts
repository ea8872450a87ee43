import { test } from 'tap'
import {
  DUNNING_STAGES,
  nextChangeAfter,
  type StandingMoments,
  standingAt,
  TRIAL_MS,
} from '../../api/billing/standing.ts'
import { BILLING_REASON_REFERENCE } from '../../shared/payment-reference.ts'
import { BILLING_STATUSES, OVERRIDE_STATES } from '../../shared/schemas/billing-subscription.ts'
import { fc } from '../harness/properties.ts'

const DAY_MS = 86_400_000
const NONE: StandingMoments = {
  ...{ trialEndsAt: null, activeFrom: null, overdueSince: null, endsAt: null, override: null },
  hasRun: false,
}

test('a trial ends without a charge and is canceled 30 days later', (t) => {
  const moments = { ...NONE, trialEndsAt: TRIAL_MS }
  t.same(standingAt(moments, TRIAL_MS - 1), { status: 'trialing', reason: null })
  t.same(standingAt(moments, TRIAL_MS), { status: 'restricted', reason: 'trial_ended' })
  t.same(standingAt(moments, 2 * TRIAL_MS - 1).status, 'restricted')
  t.same(standingAt(moments, 2 * TRIAL_MS), { status: 'canceled', reason: 'trial_ended' })
  const paid = { ...moments, activeFrom: TRIAL_MS }
  t.equal(standingAt(paid, TRIAL_MS - 1).status, 'trialing')
  t.equal(standingAt(paid, TRIAL_MS).status, 'active')
  t.equal(standingAt({ ...NONE }, 0).status, 'none')
  t.end()
})

test('an unpaid invoice leads through every stage of dunning', (t) => {
  const moments = { ...NONE, activeFrom: 0, overdueSince: 1000 }
  const stages = [
    [999, 'active'],
    [1000, 'past_due'],
    [1000 + 14 * DAY_MS - 1, 'past_due'],
    [1000 + 14 * DAY_MS, 'restricted'],
    [1000 + 28 * DAY_MS, 'suspended'],
    [1000 + 60 * DAY_MS - 1, 'suspended'],
    [1000 + 60 * DAY_MS, 'canceled'],
  ] as const
  for (const [now, status] of stages) t.equal(standingAt(moments, now).status, status)
  t.equal(standingAt(moments, 1000 + 60 * DAY_MS).reason, 'uncollectible')
  t.ok(DUNNING_STAGES.every(({ reason }) => reason in BILLING_REASON_REFERENCE))
  t.equal(standingAt({ ...moments, overdueSince: null }, 60 * DAY_MS).status, 'active', 'paid')
  t.end()
})

test('an override replaces a status of dunning until it ends', (t) => {
  const override = { state: 'active', expiresAt: 70 * DAY_MS } as const
  const moments = { ...NONE, activeFrom: 0, overdueSince: 0, override }
  t.same(standingAt(moments, 61 * DAY_MS), { status: 'active', reason: 'overridden' })
  t.same(standingAt(moments, 70 * DAY_MS), { status: 'canceled', reason: 'uncollectible' })
  const paid = { ...moments, overdueSince: null, hasRun: true }
  t.equal(standingAt(paid, 61 * DAY_MS).status, 'active')
  t.same(standingAt(paid, 70 * DAY_MS), { status: 'canceled', reason: 'uncollectible' })
  const ended = { ...moments, endsAt: DAY_MS }
  t.same(standingAt(ended, DAY_MS), { status: 'canceled', reason: 'requested' })
  t.end()
})

test('no status changes before the next change that is announced', (t) => {
  const moment = fc.option(fc.nat(200 * DAY_MS), { nil: null })
  const moments = fc.record({
    trialEndsAt: moment,
    activeFrom: moment,
    overdueSince: moment,
    endsAt: moment,
    hasRun: fc.boolean(),
    override: fc.option(
      fc.record({
        state: fc.constantFrom(...OVERRIDE_STATES),
        expiresAt: fc.nat(200 * DAY_MS),
      }),
      { nil: null },
    ),
  })
  fc.assert(
    fc.property(moments, fc.nat(300 * DAY_MS), fc.nat(300 * DAY_MS), (given, now, later) => {
      const next = nextChangeAfter(given, now)
      const reached = next === null ? now + later : Math.min(now + later, next - 1)
      return (
        standingAt(given, now).status === standingAt(given, reached).status &&
        BILLING_STATUSES.includes(standingAt(given, now).status) &&
        (next === null || next > now)
      )
    }),
    { numRuns: 5000 },
  )
  t.end()
})
