// Scenarios of requests beside purchases and of their refusal: inquiries, verifications, the last
// day of a card, wrong PINs, a burst of small authorizations, a network whose clock is wrong.
import { isoInstant } from '../../../shared/clock.ts'
import { OWN_PROGRAM, ownControls, ownLimit } from '../config.ts'
import {
  approves,
  declines,
  type IsolatedStory,
  type OwnStage,
  ownStory,
  type Sent,
} from '../stage.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const NOON = Date.UTC(2027, 8, 15, 12)

const INQUIRY = { kind: 'balance_inquiry', amount_cents: 0, entry_method: 'chip' } as const
const VERIFICATION = { kind: 'account_verification', amount_cents: 0 } as const
const VERIFIED = { ...approves(0), response_code: '85' }
const SUBSCRIPTION = {
  amount_cents: 999,
  initiator: 'merchant',
  recurring: true,
  entry_method: 'stored_credential',
} as const

/** The card's last month is the February of a leap year. */
const LAST_MONTH = { exp_month: 2, exp_year: 2028 } as const
const MARCH = Date.UTC(2028, 2, 1)

const BURST = 200
/** Small authorizations that the program lets through in an hour. */
const BURST_ALLOWED = 25
const AT_ONCE = 8

/** Sends this many messages, a few at once. */
async function burst(stage: OwnStage, count: number): Promise<Sent[]> {
  const sent: Sent[] = []
  for (let begun = 0; begun < count; begun += AT_ONCE) {
    await stage.pass(stage.nowMs + 1000)
    const together = Array.from({ length: Math.min(AT_ONCE, count - begun) }, () =>
      stage.send({ amount_cents: 100, entry_method: 'online' }, {}),
    )
    sent.push(...(await Promise.all(together)))
  }
  return sent
}

export const ISOLATED_REQUESTS: readonly IsolatedStory[] = [
  ownStory({
    name: 'own_balance_inquiry',
    story:
      'A balance inquiry tells what the day’s limit leaves, takes nothing, and is told more tomorrow.',
    covers: [33],
    at: NOON,
    async play(stage) {
      await stage.send(INQUIRY, { ...approves(0), available_amount_cents: undefined })
      await stage.push(ownControls({ limits: [ownLimit({ amount_cents: 10_000 })] }))
      await stage.send(INQUIRY, { ...approves(0), available_amount_cents: 10_000 })
      await stage.send({ amount_cents: 4000 }, approves(4000))
      const asked = await stage.send(INQUIRY, { ...approves(0), available_amount_cents: 6000 })
      const sums = { authorized_cents: 0, open_hold_cents: 0 }
      const decision = { available_amount_cents: 6000 }
      await stage.shows(asked, { status: 'authorized', sums, decision }, 'authorized')
      const rest = await stage.send({ amount_cents: 6000 }, approves(6000))
      await stage.counted(rest, { used_before: 4000 })
      await stage.send(INQUIRY, { ...approves(0), available_amount_cents: 0 })
      await stage.pass(Date.UTC(2027, 8, 16))
      await stage.send(INQUIRY, { ...approves(0), available_amount_cents: 10_000 })
    },
  }),
  ownStory({
    name: 'own_account_verification',
    story:
      'A verification of 0.00 says whether the CVC is right, and leaves every limit as it was.',
    covers: [34],
    at: NOON,
    async play(stage) {
      await stage.push(ownControls({ limits: [ownLimit({ amount_cents: 1000, count: 1 })] }))
      const { printed } = stage.engine
      const right = await stage.send({ ...VERIFICATION, card: printed }, VERIFIED)
      const matched = { verification: { cvc: 'match', expiry: 'match' } }
      const nothing = { authorized_cents: 0, open_hold_cents: 0 }
      await stage.shows(right, { status: 'authorized', sums: nothing, ...matched }, 'authorized')
      const wrong = { ...printed, cvc: printed.cvc === '111' ? '112' : '111' }
      const refused = declines('cvc_mismatch', 'N7')
      const second = await stage.send({ ...VERIFICATION, card: wrong }, refused)
      const mismatch = { verification: { cvc: 'mismatch', expiry: 'match' } }
      await stage.shows(second, { status: 'declined', ...mismatch }, 'declined')
      const other = { ...printed, exp_month: printed.exp_month - 1 }
      await stage.send({ ...VERIFICATION, card: other }, declines('expiry_mismatch', '54'))
      const whole = await stage.send({ amount_cents: 1000 }, approves(1000))
      const untouched = { used_before: 0, reserved_before: 0 }
      await stage.counted(whole, { of: 'amount', ...untouched }, { of: 'count', ...untouched })
    },
  }),
  ownStory({
    name: 'own_recurring_expired',
    story:
      'A subscription is paid on the card’s last day, 29 February, and declined the moment March begins.',
    covers: [35],
    at: Date.UTC(2028, 0, 31, 9),
    async play(stage) {
      await stage.push({ ...stage.engine.card, version: 2, ...LAST_MONTH })
      await stage.send(SUBSCRIPTION, approves())
      await stage.pass(MARCH - 1)
      const last = await stage.send(SUBSCRIPTION, approves())
      const entry = { recurring: true, initiator: 'merchant' }
      await stage.shows(last, { status: 'authorized', entry }, 'authorized')
      await stage.pass(MARCH)
      const late = await stage.send(SUBSCRIPTION, declines('card_expired', '54'))
      const why = { decline_reason: 'card_expired', decision: { retry_advice: 'fix_data' } }
      await stage.shows(late, { status: 'declined', ...why }, 'declined')
      // An amount that was approved before is cleared all the same.
      await stage.follow(last, { kind: 'capture', amount_cents: 999 })
      await stage.shows(last, { status: 'captured' }, 'authorized', 'captured')
    },
  }),
  ownStory({
    name: 'own_pin_tries',
    story:
      'Three wrong PINs in a row block the right one, tomorrow too, until the card is given a new one.',
    covers: [38],
    at: NOON,
    async play(stage) {
      const { card, printed, pinVerifier } = stage.engine
      const pay = (pin: string, expected: ReturnType<typeof approves>) =>
        stage.send({ card: { ...printed, pin }, entry_method: 'chip', amount_cents: 100 }, expected)
      const wrong = declines('pin_incorrect', '55')
      const blocked = declines('pin_tries_exceeded', '75')
      await stage.push({ ...card, version: 2, pin_verifier: pinVerifier('4711') })
      await pay('0000', wrong)
      await pay('1111', wrong)
      const right = await pay('4711', approves())
      await stage.shows(right, { verification: { pin: 'match' } }, 'authorized')
      await pay('0000', wrong)
      await stage.pass(NOON + HOUR_MS)
      await pay('1111', wrong)
      const third = await pay('2222', wrong)
      await stage.shows(third, { verification: { pin: 'mismatch' } }, 'declined')
      await pay('4711', blocked)
      await stage.pass(NOON + DAY_MS)
      await pay('4711', blocked)
      await stage.push({ ...card, version: 3, pin_verifier: pinVerifier('0815') })
      await pay('4711', wrong)
      await pay('0815', approves())
    },
  }),
  ownStory({
    name: 'own_card_testing',
    story:
      'Of two hundred small authorizations the rule lets 25 through; then the card is stopped, also tomorrow.',
    covers: [41],
    at: NOON,
    async play(stage) {
      const rule = {
        name: 'card_testing',
        state: 'active',
        count: BURST_ALLOWED,
        seconds: 3600,
        amount_cents: 200,
      } as const
      await stage.push({ ...OWN_PROGRAM, version: 2, fraud_rules: [rule] })
      // Old ones count no more.
      await burst(stage, BURST_ALLOWED - 1)
      await stage.pass(stage.nowMs + HOUR_MS + 1000)
      const sent = await burst(stage, BURST)
      const history = await stage.history()
      const statuses = sent.map(
        ({ transactionId }) => history.transaction(transactionId)?.['status'],
      )
      const count = (status: string) => statuses.filter((one) => one === status).length
      const found = { authorized: count('authorized'), declined: count('declined') }
      const expected = { authorized: BURST_ALLOWED, declined: BURST - BURST_ALLOWED }
      stage.check('burst', expected, found)
      stage.check('stopped', ['card_testing'], history.stopped())
      await stage.pass(NOON + DAY_MS)
      const next = await stage.send({ amount_cents: 5000 }, declines('card_suspended', '62'))
      await stage.shows(next, { status: 'declined', sums: { open_hold_cents: 0 } }, 'declined')
    },
  }),
  ownStory({
    name: 'own_clock_skew',
    story:
      'A request is decided up to 24 hours late and 10 minutes early; it counts on the day it came.',
    covers: [54],
    at: Date.UTC(2027, 8, 15, 0, 0, 30),
    async play(stage) {
      await stage.push(ownControls({ limits: [ownLimit({ amount_cents: 4000 })] }))
      const sentAt = (agoMs: number) => ({
        amount_cents: 1000,
        transmitted_at: isoInstant(stage.nowMs - agoMs),
      })
      const stale = { code: 'message_stale', param: 'transmitted_at' }
      await stage.send(sentAt(DAY_MS - MINUTE_MS), approves())
      await stage.send(sentAt(DAY_MS), approves())
      await stage.refused(sentAt(DAY_MS + MINUTE_MS), 400, stale)
      await stage.send(sentAt(-9 * MINUTE_MS), approves())
      await stage.refused(sentAt(-11 * MINUTE_MS), 400, stale)
      // By the network's clock still yesterday; by ours the fourth of today.
      const fourth = await stage.send(sentAt(MINUTE_MS), approves())
      await stage.counted(fourth, { used_before: 3000, window_start: Date.UTC(2027, 8, 15) })
      await stage.send(sentAt(MINUTE_MS), declines('limit_daily', '61'))
      // A notification of the past is recorded, however late it comes.
      const late = { transmitted_at: isoInstant(stage.nowMs - 3 * DAY_MS) }
      await stage.follow(fourth, { kind: 'capture', amount_cents: 1000, ...late })
      await stage.shows(fourth, { status: 'captured' }, 'authorized', 'captured')
      await stage.pass(Date.UTC(2027, 8, 16))
      const next = await stage.send(sentAt(MINUTE_MS), approves())
      await stage.counted(next, { used_before: 0 })
    },
  }),
]
