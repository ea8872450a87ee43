// Authorizations that live for days before they are cleared: a hotel, a fuel pump, a restaurant, a
// ride, a purchase in shipments.
import { Expectation } from '../../../scripts/simulate/differences.ts'
import { ownControls, ownLimit } from '../config.ts'
import { approves, declines, type IsolatedStory, ownStory } from '../stage.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Arrival. */
const EVENING = Date.UTC(2027, 5, 1, 18, 30)

const HOTEL = { merchant: { id: 'merch_hotel', mcc: '7011' }, entry_method: 'chip' } as const
const PUMP = { merchant: { id: 'merch_pump', mcc: '5542' }, entry_method: 'chip' } as const
const RESTAURANT = { merchant: { id: 'merch_table', mcc: '5812' }, entry_method: 'chip' } as const
const RIDE = { merchant: { id: 'merch_ride', mcc: '4121' }, entry_method: 'online' } as const
const SHOP = { merchant: { id: 'merch_shop', mcc: '5311' }, entry_method: 'online' } as const

const UNFAIR = ['over_captured', 'limit_overrun', 'captured_after_expiry']
const fair = new Expectation(
  'final, and nothing too much or too late',
  (flags) =>
    Array.isArray(flags) && flags.includes('final') && !UNFAIR.some((flag) => flags.includes(flag)),
)

export const ISOLATED_STAYS: readonly IsolatedStory[] = [
  ownStory({
    name: 'own_hotel',
    story: 'A hotel raises its hold on five days; it stands 28 days until the bill is cleared.',
    covers: [13],
    at: EVENING,
    async play(stage) {
      const limits = [
        ownLimit({ id: 'lim_stay', interval: 'per_authorization', amount_cents: 45_000 }),
        ownLimit({ id: 'lim_day', amount_cents: 20_000 }),
      ]
      await stage.push(ownControls({ limits }))
      const stay = await stage.send({ ...HOTEL, amount_cents: 20_000 }, approves(20_000))
      await stage.counted(stay, { requested: 20_000 }, { used_before: 0, requested: 20_000 })
      for (let night = 1; night <= 5; night++) {
        await stage.pass(EVENING + night * DAY_MS)
        const more = { ...HOTEL, kind: 'incremental', amount_cents: 5000 } as const
        const raised = await stage.follow(stay, more, approves(5000))
        await stage.counted(
          raised,
          { requested: 20_000 + night * 5000 },
          { used_before: 0, requested: 5000 },
        )
        const held = { incremented_cents: night * 5000, open_hold_cents: 20_000 + night * 5000 }
        const events = new Array<string>(night + 1).fill('authorized')
        await stage.shows(stay, { status: 'authorized', sums: held }, ...events)
      }
      const tooMuch = { ...HOTEL, kind: 'incremental', amount_cents: 1 } as const
      await stage.follow(stay, tooMuch, declines('limit_per_authorization', '61'))

      await stage.pass(EVENING + 28 * DAY_MS)
      const events = [...new Array<string>(6).fill('authorized'), 'declined']
      const held = { status: 'authorized', sums: { open_hold_cents: 45_000 } }
      await stage.shows(stay, held, ...events)
      await stage.follow(stay, { ...HOTEL, kind: 'capture', amount_cents: 44_000 })
      const sums = {
        authorized_cents: 20_000,
        incremented_cents: 25_000,
        captured_cents: 44_000,
        released_cents: 1000,
        expired_cents: 0,
        open_hold_cents: 0,
      }
      const cleared = { status: 'captured', flags: ['final'], sums, hold_expires_at: null }
      await stage.shows(stay, cleared, ...events, 'captured')
    },
  }),
  ownStory({
    name: 'own_fuel',
    story: 'A pump asks for 1.00, 100.00 are held, it tells 62.41, and clears that two days later.',
    covers: [14],
    at: EVENING,
    async play(stage) {
      await stage.push(ownControls({ limits: [ownLimit({ amount_cents: 15_000 })] }))
      const first = await stage.send({ ...PUMP, amount_cents: 100 }, approves(100))
      const sums = { authorized_cents: 100, adjusted_cents: 9900, open_hold_cents: 10_000 }
      const amounts = { hold: { amount: 10_000 } }
      await stage.shows(first, { status: 'authorized', sums, amounts }, 'authorized')

      // The buffer takes no more than the limit leaves, and so declines nothing.
      const second = await stage.send({ ...PUMP, amount_cents: 100 }, approves(100))
      await stage.counted(second, { used_before: 10_000, requested: 100 })
      await stage.shows(second, { sums: { open_hold_cents: 5000 } }, 'authorized')
      await stage.send({ ...PUMP, amount_cents: 100 }, declines('limit_daily', '61'))

      const told = { kind: 'advice', amount_cents: 6241, advice: { approved: true } } as const
      await stage.follow(first, { ...PUMP, ...told })
      const known = { adjusted_cents: 6141, open_hold_cents: 6241 }
      await stage.shows(first, { status: 'authorized', sums: known }, 'authorized', 'authorized')
      const probe = await stage.send({ amount_cents: 3760 }, declines('limit_daily', '61'))
      await stage.counted(probe, { used_before: 6241 + 5000 })

      await stage.pass(EVENING + 2 * DAY_MS - HOUR_MS)
      await stage.follow(first, { ...PUMP, kind: 'capture', amount_cents: 6241 })
      const cleared = { captured_cents: 6241, released_cents: 0, open_hold_cents: 0 }
      const events = ['authorized', 'authorized', 'captured']
      await stage.shows(first, { status: 'captured', flags: fair, sums: cleared }, ...events)
    },
  }),
  ownStory({
    name: 'own_restaurant',
    story: 'A restaurant’s hold has room for a tip of 20 %; a larger tip is taken and flagged.',
    covers: [15],
    at: EVENING,
    async play(stage) {
      const fair = await stage.send({ ...RESTAURANT, amount_cents: 5000 }, approves(5000))
      const sums = { authorized_cents: 5000, adjusted_cents: 1000, open_hold_cents: 6000 }
      await stage.shows(fair, { sums }, 'authorized')
      const large = await stage.send({ ...RESTAURANT, amount_cents: 5000 }, approves(5000))
      await stage.pass(EVENING + DAY_MS)
      await stage.follow(fair, { ...RESTAURANT, kind: 'capture', amount_cents: 6000 })
      await stage.follow(large, { ...RESTAURANT, kind: 'capture', amount_cents: 6001 })
      const paid = { captured_cents: 6000, open_hold_cents: 0 }
      const taken = { captured_cents: 6001, released_cents: 0, open_hold_cents: 0 }
      const events = ['authorized', 'captured']
      await stage.shows(fair, { status: 'captured', flags: ['final'], sums: paid }, ...events)
      const flags = ['over_captured', 'final']
      await stage.shows(large, { status: 'captured', flags, sums: taken }, ...events)
    },
  }),
  ownStory({
    name: 'own_ride',
    story:
      'A ride of 1.00 clears 37.80 the next day: more than the limit, and counted in the day of the ride.',
    covers: [16],
    at: EVENING,
    async play(stage) {
      const limits = [
        ownLimit({ id: 'lim_day', amount_cents: 3000 }),
        ownLimit({ id: 'lim_week', interval: 'weekly', amount_cents: 3900 }),
      ]
      await stage.push(ownControls({ limits }))
      const ride = await stage.send({ ...RIDE, amount_cents: 100 }, approves(100))
      await stage.pass(EVENING + DAY_MS)
      await stage.follow(ride, { ...RIDE, kind: 'capture', amount_cents: 3780 })
      const flags = ['over_captured', 'limit_overrun', 'final']
      const sums = { authorized_cents: 100, captured_cents: 3780, open_hold_cents: 0 }
      const events = ['authorized', 'captured']
      await stage.shows(ride, { status: 'captured', flags, sums }, ...events)
      const probe = await stage.send({ amount_cents: 121 }, declines('limit_weekly', '61'))
      await stage.counted(probe, { used_before: 0 }, { used_before: 3780 })
      await stage.send({ amount_cents: 120 }, approves())
    },
  }),
  ownStory({
    name: 'own_shipments',
    story:
      'A purchase is cleared in three shipments over five days; the last one releases what is left.',
    covers: [17],
    at: EVENING,
    async play(stage) {
      await stage.push(
        ownControls({ limits: [ownLimit({ interval: 'monthly', amount_cents: 9000 })] }),
      )
      const order = await stage.send({ ...SHOP, amount_cents: 9000 }, approves(9000))
      const ship = { ...SHOP, kind: 'capture' } as const
      await stage.pass(EVENING + DAY_MS)
      await stage.follow(order, { ...ship, amount_cents: 3000, final: false })
      const one = { captured_cents: 3000, open_hold_cents: 6000, released_cents: 0 }
      const underWay = { status: 'partially_captured', flags: [] }
      await stage.shows(order, { ...underWay, sums: one }, 'authorized', 'captured')
      await stage.pass(EVENING + 3 * DAY_MS)
      await stage.follow(order, { ...ship, amount_cents: 3000, final: false })
      const two = { captured_cents: 6000, open_hold_cents: 3000 }
      await stage.shows(order, { ...underWay, sums: two }, 'authorized', 'captured', 'captured')
      const full = await stage.send({ amount_cents: 1 }, declines('limit_monthly', '61'))
      await stage.counted(full, { used_before: 9000 })
      await stage.pass(EVENING + 5 * DAY_MS)
      await stage.follow(order, { ...ship, amount_cents: 2500 })
      const three = { captured_cents: 8500, released_cents: 500, open_hold_cents: 0 }
      const events = ['authorized', 'captured', 'captured', 'captured']
      await stage.shows(order, { status: 'captured', flags: ['final'], sums: three }, ...events)
      const rest = await stage.send({ amount_cents: 500 }, approves())
      await stage.counted(rest, { used_before: 8500 })
    },
  }),
]
