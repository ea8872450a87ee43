// Holds that expire, captures after that, and decisions of the network while no engine answered it.

import { OWN_PROGRAM, ownControls, ownLimit } from '../config.ts'
import type { OwnChange } from '../engine.ts'
import {
  approves,
  declines,
  type IsolatedStory,
  type OwnStage,
  ownStory,
  type Sent,
} from '../stage.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** One minute after noon: a hold of now ends on the full hour after its days. */
const NOON = Date.UTC(2027, 2, 10, 12, 1)
const CENTS = 1000
/** The engine looks once a second for expired holds. */
const LOOK_MS = 1000

/**
 * The days for which a purchase is held: at a pump, a terminal, a merchant, a shop, on a cruise,
 * for a rental.
 */
const HELD: readonly (readonly [days: number, change: OwnChange])[] = [
  [2, { merchant: { mcc: '5542' }, entry_method: 'chip' }],
  [5, { merchant: { mcc: '5411' }, entry_method: 'contactless' }],
  [5, { initiator: 'merchant', entry_method: 'stored_credential' }],
  [7, { merchant: { mcc: '5734' }, entry_method: 'online' }],
  [30, { merchant: { mcc: '4411' }, entry_method: 'online' }],
  [30, { merchant: { mcc: '3390' }, entry_method: 'chip' }],
]

/** Hold to the last millisecond, and a second later no longer. */
async function runOut(stage: OwnStage, endMs: number, sent: readonly Sent[]): Promise<void> {
  const held = { status: 'authorized', hold_expires_at: new Date(endMs).toISOString() }
  await stage.pass(endMs - 1)
  for (const one of sent) await stage.shows(one, held, 'authorized')
  await stage.pass(endMs - 1 + LOOK_MS)
  const reversal = { stage: 'pre_capture', cause: 'expiry', partial: false }
  const sums = { open_hold_cents: 0, captured_cents: 0 }
  const expired = { status: 'expired', hold_expires_at: null, sums, reversal }
  for (const one of sent) await stage.shows(one, expired, 'authorized', 'reversed')
}

export const ISOLATED_EXPIRY: readonly IsolatedStory[] = [
  ownStory({
    name: 'own_expiry',
    story: 'Each business holds for its own number of days; a late clearing is taken and flagged.',
    covers: [25],
    at: NOON,
    async play(stage) {
      await stage.push(
        ownControls({ limits: [ownLimit({ interval: 'yearly', amount_cents: 20_000 })] }),
      )
      const byDays = new Map<number, Sent[]>()
      for (const [days, change] of HELD) {
        const sent = await stage.send({ ...change, amount_cents: CENTS }, approves(CENTS))
        byDays.set(days, [...(byDays.get(days) ?? []), sent])
      }
      // The pump held ninety units more than it asked for.
      const full = await stage.send({ amount_cents: 5001 }, declines('limit_yearly', '61'))
      await stage.counted(full, { used_before: 15_000 })
      for (const [days, sent] of byDays)
        await runOut(stage, NOON + 59 * 60_000 + days * DAY_MS, sent)
      const empty = await stage.send({ amount_cents: 20_001 }, declines('limit_yearly', '61'))
      await stage.counted(empty, { used_before: 0 })

      for (const late of [...byDays.values()].flat()) {
        await stage.follow(late, { kind: 'capture', amount_cents: CENTS })
        const sums = { captured_cents: CENTS, open_hold_cents: 0 }
        const taken = { status: 'captured', flags: ['captured_after_expiry', 'final'], sums }
        await stage.shows(late, taken, 'authorized', 'reversed', 'captured')
      }
      const counts = await stage.send({ amount_cents: 14_001 }, declines('limit_yearly', '61'))
      await stage.counted(counts, { used_before: HELD.length * CENTS })
    },
  }),
  ownStory({
    name: 'own_expiry_program',
    story:
      'A program’s own rows come before the table; a partial clearing leaves the rest to run out.',
    covers: [25],
    at: NOON,
    async play(stage) {
      const row = { mccs: ['5411'], card_present: true, initiator: null, hours: 36 }
      await stage.push({ ...OWN_PROGRAM, version: 2, hold_expiry: [row] })
      const sent = await stage.send({ amount_cents: CENTS }, approves(CENTS))
      const endMs = NOON + 59 * 60_000 + 36 * HOUR_MS
      await stage.pass(endMs - 1)
      await stage.follow(sent, { kind: 'capture', amount_cents: 400, final: false })
      const part = { status: 'partially_captured', hold_expires_at: new Date(endMs).toISOString() }
      await stage.shows(sent, part, 'authorized', 'captured')
      await stage.pass(endMs - 1 + LOOK_MS)
      const sums = { captured_cents: 400, expired_cents: 600, open_hold_cents: 0 }
      await stage.shows(sent, { status: 'captured', sums }, 'authorized', 'captured', 'reversed')
    },
  }),
  ownStory({
    name: 'own_network_approved',
    story:
      'While nobody answered, the network approved more than the limit; its advice comes two days later.',
    covers: [42],
    at: NOON,
    async play(stage) {
      await stage.push(ownControls({ limits: [ownLimit({ amount_cents: 3000 })] }))
      const transmitted_at = new Date(NOON).toISOString()
      await stage.away(NOON + 2 * DAY_MS)
      const advice = { kind: 'advice', advice: { approved: true, response_code: '00' } } as const
      const told = { approved: true, response_code: '00', decided_by: 'network', stand_in: false }
      const away = await stage.send({ ...advice, transmitted_at, amount_cents: 5000 }, told)
      const sums = { authorized_cents: 5000, open_hold_cents: 5000 }
      const flags = ['limit_overrun']
      const decision = { approved: true, decided_by: 'network' }
      await stage.shows(away, { status: 'authorized', flags, sums, decision }, 'authorized')
      const full = await stage.send({ amount_cents: 1 }, declines('limit_daily', '61'))
      await stage.counted(full, { used_before: 5000 })
      // A second report under another id gives the final amount of the same transaction, and holds
      // nothing more.
      await stage.follow(away, { ...advice, transmitted_at, amount_cents: 5000 })
      await stage.pass(stage.nowMs + DAY_MS)
      await stage.follow(away, { kind: 'capture', amount_cents: 5000 })
      const cleared = { authorized_cents: 5000, captured_cents: 5000, open_hold_cents: 0 }
      const events = ['authorized', 'authorized', 'captured']
      await stage.shows(away, { status: 'captured', sums: cleared }, ...events)
    },
  }),
  ownStory({
    name: 'own_network_declined',
    story:
      'While nobody answered, the network declined; nothing is held, and a clearing is taken all the same.',
    covers: [43],
    at: NOON,
    async play(stage) {
      await stage.push(ownControls({ limits: [ownLimit({ amount_cents: 3000 })] }))
      const transmitted_at = new Date(NOON).toISOString()
      await stage.away(NOON + DAY_MS + HOUR_MS)
      const away = await stage.send(
        {
          kind: 'advice',
          advice: { approved: false, response_code: '51' },
          transmitted_at,
          amount_cents: 2000,
        },
        { approved: false, response_code: '51', decided_by: 'network' },
      )
      const decision = { approved: false, decided_by: 'network', response_code: '51' }
      const reason = { decline_reason: 'network_stand_in_declined', decision }
      const sums = { authorized_cents: 0, open_hold_cents: 0 }
      await stage.shows(away, { status: 'declined', sums, ...reason }, 'declined')
      const probe = await stage.send({ amount_cents: 3001 }, declines('limit_daily', '61'))
      await stage.counted(probe, { used_before: 0 })
      await stage.follow(away, { kind: 'capture', amount_cents: 2000 })
      const flags = ['captured_after_decline', 'final']
      const taken = { status: 'captured', flags, sums: { captured_cents: 2000 } }
      await stage.shows(away, taken, 'declined', 'captured')
    },
  }),
  ownStory({
    name: 'own_coming_back',
    story:
      'An engine that was down over midnight knows what was spent, held and tried; what ran out meanwhile ends now.',
    at: NOON,
    async play(stage) {
      const { card, printed, pinVerifier } = stage.engine
      const limits = [
        ownLimit({ id: 'lim_day', amount_cents: 3000 }),
        ownLimit({ id: 'lim_month', interval: 'monthly', amount_cents: 4000 }),
      ]
      await stage.push(ownControls({ limits }))
      await stage.push({ ...card, version: 2, pin_verifier: pinVerifier('4711') })
      const pump = { merchant: { mcc: '5542' }, entry_method: 'chip' } as const
      const short = await stage.send({ ...pump, amount_cents: 1000 }, approves())
      const long = await stage.send({ amount_cents: 1000, entry_method: 'online' }, declined())
      const told = { kind: 'advice', amount_cents: 1000, advice: { approved: true } } as const
      await stage.follow(short, { ...pump, ...told })
      const paid = await stage.send({ amount_cents: 1500, entry_method: 'online' }, approves())
      for (const pin of ['0000', '1111', '2222'])
        await stage.send({ card: { ...printed, pin } }, declines('pin_incorrect', '55'))

      await stage.away(NOON + DAY_MS)
      await stage.send({ card: { ...printed, pin: '4711' } }, declines('pin_tries_exceeded', '75'))
      const again = await stage.engine.send(long.message)
      stage.check('repeat', declined(), again.answer)
      const over = await stage.send({ amount_cents: 1501 }, declines('limit_monthly', '61'))
      await stage.counted(over, { used_before: 0 }, { used_before: 2500 })
      await stage.shows(short, { sums: { open_hold_cents: 1000 } }, 'authorized', 'authorized')

      await stage.away(NOON + 6 * DAY_MS)
      await stage.pass(stage.nowMs + LOOK_MS)
      const events = ['authorized', 'authorized', 'reversed']
      await stage.shows(short, { status: 'expired', sums: { expired_cents: 1000 } }, ...events)
      await stage.shows(paid, { status: 'authorized' }, 'authorized')
      const rest = await stage.send({ amount_cents: 2500 }, approves())
      await stage.counted(rest, { used_before: 0 }, { used_before: 1500 })
    },
  }),
]

/** The pump’s hold took the whole day. */
function declined() {
  return declines('limit_daily', '61')
}
