// The data gathered of a card at a moment: by its tenant's clock, and in the windows of its owners.
import { test } from 'tap'
import type { MinorUnits } from '../../shared/money.ts'
import type { ControlConfig } from '../../shared/wire/config-records.ts'
import { limitConfig } from '../harness/judged.ts'
import { LineInHand } from '../harness/line-in-hand.ts'

const NOON = Date.parse('2026-11-20T12:00:00Z')
const HOUR_MS = 3_600_000
const ROLLING: Partial<ControlConfig> = {
  limits: [limitConfig({ interval: 'rolling', rolling_seconds: 60, amount_cents: null, count: 9 })],
}

function windowsOf(line: LineInHand): readonly (readonly [string, string, string | number])[] {
  const meters = line.entries.at(-1)?.decision.meters ?? []
  return meters.map(([subject, zone, , at]) => [subject, zone, at] as const)
}

test('a card ends with the last millisecond of its month', (t) => {
  const line = new LineInHand(Date.parse('2026-11-30T23:59:59.999Z'))
  line.card = { ...line.card, exp_month: 11, exp_year: 2026 }
  t.equal(line.buy(), null)
  line.moveTo('2026-12-01T00:00:00Z')
  t.equal(line.buy(), 'card_expired')
  t.end()
})

test('a tenant whose clock is ahead is judged by that clock', (t) => {
  const line = new LineInHand(NOON, { clock_offset_ms: 12 * HOUR_MS })
  line.control('card', { limits: [limitConfig({ amount_cents: 1000 as MinorUnits })] })
  t.equal(line.buy(), null)
  t.equal(line.entries[0]?.receivedAtMs, NOON + 12 * HOUR_MS)
  t.ok(windowsOf(line).every(([, , day]) => day === 20261121))
  line.moveTo(NOON + 23 * HOUR_MS)
  t.equal(line.buy(1), 'limit_daily')
  line.moveTo(NOON + 24 * HOUR_MS)
  t.equal(line.buy(), null, 'the 22nd there')
  t.end()
})

test('an approval counts for program, cardholder and card in UTC and the program’s zone', (t) => {
  for (const control of [null, ROLLING]) {
    const zone = 'Asia/Tokyo'
    const line = new LineInHand(NOON + 6 * HOUR_MS, { time_zone: zone })
    if (control !== null) line.control('card', control)
    t.equal(line.buy(), null)
    const ofCalendar = windowsOf(line).filter(([, where]) => where === 'UTC' || where === zone)
    t.same(
      ofCalendar,
      ['prog_1', 'ch_1', line.card.windows_id].flatMap((subject) => [
        [subject, 'UTC', 20261120],
        [subject, zone, 20261121],
      ]),
    )
    t.equal(windowsOf(line).length - ofCalendar.length, control === null ? 0 : 1)
    t.equal(line.contradiction(), null)
  }
  t.end()
})
