// Amounts in other currencies, at rates that move between the authorization and its later messages.
import type { FxRateConfig } from '../../../shared/wire/config-records.ts'
import { OWN_PROGRAM, ownControls, ownLimit } from '../config.ts'
import { approves, declines, type IsolatedStory, ownStory } from '../stage.ts'

const DAY_MS = 24 * 3_600_000
const NOON = Date.UTC(2027, 6, 7, 12)

function rate(id: string, value: string, version = 1): FxRateConfig {
  return { type: 'fx_rate', id, version, rate: value, rate_at_ms: NOON }
}

export const OWN_CURRENCIES: readonly IsolatedStory[] = [
  ownStory({
    name: 'own_currencies',
    story: 'Euros, yen and dinars with a margin of 1 %; the euro rises before it is cleared.',
    covers: [40],
    at: NOON,
    async play(stage) {
      await stage.push(
        { ...OWN_PROGRAM, version: 2, fx_margin_bps: 100 },
        rate('EUR/USD', '1.10'),
        rate('USD/JPY', '149.5'),
        rate('KWD/USD', '3.25'),
        ownControls({ limits: [ownLimit({ interval: 'monthly', amount_cents: 5000 })] }),
      )
      const euro = { currency: 'EUR', amount_cents: 1000 } as const
      const first = await stage.send(euro, approves(1000))
      const counted = heldCents(1111)
      const fx = { rate: '1.111', source: 'internal', markup_bps: 100 }
      const amounts = {
        merchant: { amount: 1000, currency: 'EUR', exponent: 2 },
        cardholder: { amount: 1111, currency: 'USD', exponent: 2 },
        fx,
      }
      await stage.shows(first, { status: 'authorized', sums: counted, amounts }, 'authorized')

      // 1500 yen by the inverse of 149.5, 1.000 dinar of three decimals.
      const yen = await stage.send({ currency: 'JPY', amount_cents: 1500 }, approves(1500))
      await stage.counted(yen, { used_before: 1111, requested: 1013 })
      const dinar = await stage.send({ currency: 'KWD', amount_cents: 1000 }, approves(1000))
      await stage.counted(dinar, { used_before: 2124, requested: 328 })
      const merchant = { amount: 1000, currency: 'KWD', exponent: 3 }
      await stage.shows(dinar, { sums: heldCents(328), amounts: { merchant } }, 'authorized')
      await stage.send({ currency: 'CHF', amount_cents: 1 }, declines('fx_rate_unavailable', '96'))

      await stage.pass(NOON + DAY_MS)
      await stage.push(rate('EUR/USD', '1.20', 2))
      await stage.follow(first, { ...euro, kind: 'capture' })
      const cleared = { authorized_cents: 1111, captured_cents: 1212, open_hold_cents: 0 }
      const flags = ['over_captured', 'final']
      const events = ['authorized', 'captured']
      await stage.shows(first, { status: 'captured', flags, sums: cleared }, ...events)
      const probe = await stage.send(euro, approves(1000))
      await stage.counted(probe, { used_before: 1212 + 1013 + 328, requested: 1212 })
    },
  }),
  ownStory({
    name: 'own_currency_reversed',
    story:
      'What was authorized in euros is given back at the rate of then, whole, whatever the rate is now.',
    covers: [40],
    at: NOON,
    async play(stage) {
      await stage.push(
        rate('EUR/USD', '1.25'),
        ownControls({ limits: [ownLimit({ interval: 'monthly', amount_cents: 5000 })] }),
      )
      const euro = { currency: 'EUR', amount_cents: 2000 } as const
      const sent = await stage.send(euro, approves(2000))
      await stage.pass(NOON + DAY_MS)
      await stage.push(rate('EUR/USD', '1.15', 2))
      await stage.follow(sent, { kind: 'reversal', currency: 'EUR', amount_cents: 500 })
      const part = { authorized_cents: 2500, reversed_cents: 625, open_hold_cents: 1875 }
      await stage.shows(sent, { status: 'authorized', sums: part }, 'authorized', 'reversed')
      await stage.follow(sent, { kind: 'reversal', currency: 'EUR', amount_cents: 1500 })
      const all = { reversed_cents: 2500, open_hold_cents: 0 }
      const events = ['authorized', 'reversed', 'reversed']
      await stage.shows(sent, { status: 'reversed', flags: [], sums: all }, ...events)
      // The network's own conversion comes before any rate of ours.
      const billing = { amount_cents: 2222, currency: 'USD', rate: '1.111' }
      const billed = await stage.send({ ...euro, billing }, approves(2000))
      await stage.counted(billed, { used_before: 0, requested: 2222 })
      const fx = { rate: '1.111', source: 'network', markup_bps: 0 }
      await stage.shows(billed, { sums: heldCents(2222), amounts: { fx } }, 'authorized')
    },
  }),
  ownStory({
    name: 'own_billing_compared',
    story:
      'A network bills 10.00 EUR as 0.01 USD: our own rate counts instead, or the authorization is declined.',
    covers: [40],
    at: NOON,
    async play(stage) {
      await stage.push(
        { ...OWN_PROGRAM, version: 2, billing_mismatch_action: 'take_larger' },
        rate('EUR/USD', '1.10'),
        ownControls({ limits: [ownLimit({ interval: 'monthly', amount_cents: 5000 })] }),
      )
      const billed = {
        currency: 'EUR',
        amount_cents: 1000,
        billing: { amount_cents: 1, currency: 'USD' },
      } as const
      const larger = await stage.send(billed, approves(1000))
      await stage.counted(larger, { used_before: 0, requested: 1100 })
      const flags = ['billing_mismatch']
      await stage.shows(larger, { flags, sums: heldCents(1100) }, 'authorized')
      await stage.push({ ...OWN_PROGRAM, version: 3, billing_mismatch_action: 'decline' })
      await stage.send(billed, declines('billing_amount_mismatch', '13'))
    },
  }),
  ownStory({
    name: 'own_credits_limited',
    story:
      'Payouts to a card stop at the program’s limit, and a capture reversal waits for the capture it takes back.',
    covers: [40],
    at: NOON,
    async play(stage) {
      const credit_limit = { per_authorization_cents: 500, per_card_per_day_cents: 800 }
      await stage.push(
        { ...OWN_PROGRAM, version: 2, credit_limit },
        ownControls({ limits: [ownLimit({ interval: 'monthly', amount_cents: 5000 })] }),
      )
      const credit = { transaction_type: 'original_credit' } as const
      await stage.send({ ...credit, amount_cents: 501 }, declines('credit_limit', '61'))
      await stage.send({ ...credit, amount_cents: 500 }, approves(500))
      await stage.send({ ...credit, amount_cents: 301 }, declines('credit_limit', '61'))
      const sale = await stage.send({ amount_cents: 1000 }, approves(1000))
      await stage.follow(sale, { kind: 'capture_reversal', amount_cents: 1000 })
      const flags = ['reversal_before_original']
      const held = { flags, sums: heldCents(1000) }
      await stage.shows(sale, held, 'authorized', 'reversed')
      await stage.follow(sale, { kind: 'capture', amount_cents: 1000 })
      const sums = { captured_cents: 1000, capture_reversed_cents: 1000, open_hold_cents: 0 }
      const events = ['authorized', 'reversed', 'captured']
      await stage.shows(sale, { status: 'reversed', flags: ['final'], sums }, ...events)
    },
  }),
]

/** Authorized and held. */
function heldCents(cents: number) {
  return { authorized_cents: cents, open_hold_cents: cents }
}
