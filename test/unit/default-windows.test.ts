import { test } from 'tap'
import type { MinorUnits } from '../../shared/money.ts'
import { limitConfig } from '../harness/judged.ts'
import { LineInHand } from '../harness/line-in-hand.ts'

const NOON = Date.parse('2026-11-20T12:00:00Z')
const cents = (amount: number): MinorUnits => amount as MinorUnits

test('a limit of a cached card uses the window of the day in its own zone', (t) => {
  for (const [zone, nextDay] of [
    ['UTC', '2026-11-21T00:00:00Z'],
    ['America/New_York', '2026-11-21T05:00:00Z'],
  ] as const) {
    const line = new LineInHand(NOON, { time_zone: 'America/New_York' })
    line.control('card', { limits: [limitConfig({ amount_cents: cents(1000), time_zone: zone })] })
    t.equal(line.buy(600), null)
    t.equal(line.buy(500), 'limit_daily', zone)
    t.equal(line.buy(400), null, 'up to the limit')
    line.moveTo(Date.parse(nextDay) - 1000)
    t.equal(line.buy(1), 'limit_daily', 'the day lasts: ' + zone)
    line.moveTo(Date.parse(nextDay))
    t.equal(line.buy(1000), null, 'another day: ' + zone)
    t.equal(line.buy(1), 'limit_daily')
    t.equal(line.contradiction(), null)
  }
  t.end()
})

test('only limits of a cached card bind that count the message and have its currency', (t) => {
  const line = new LineInHand(NOON)
  const filter = { mccs: ['7995'], countries: null, kinds: null, card_present: null }
  line.control('card', {
    limits: [
      limitConfig({ id: 'lim_eur', currency: 'EUR', amount_cents: cents(1) }),
      limitConfig({
        id: 'lim_bets',
        interval: 'per_authorization',
        amount_cents: cents(100),
        filter,
      }),
      limitConfig({ id: 'lim_week', interval: 'weekly', amount_cents: cents(1000) }),
    ],
  })
  const bet = (amount_cents: number) => ({
    amount_cents,
    merchant: { id: 'm-2', name: 'Bets', mcc: '7995', city: 'Reno', country: 'US' },
  })
  t.equal(line.buy(300), null)
  t.equal(line.buy(bet(101)), 'limit_per_authorization')
  t.equal(line.buy(bet(100)), null)
  t.equal(line.buy(601), 'limit_weekly', 'both count for the week')
  t.equal(line.buy(600), null)
  t.end()
})
