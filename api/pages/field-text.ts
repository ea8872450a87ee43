// A field of a pass as it is read: numbers, amounts and moments as people write them. Wallets do the same in the holder's
// language and zone; a page knows neither, so it writes a moment as the clock beside its own zone shows it.
import { assert } from '../../shared/assert.ts'
import type { PassField } from '../../shared/schemas/pass-content.ts'
import { parseFilterInstant } from '../created-filter.ts'

const LANGUAGE = 'en-GB'
const MINUTE_MS = 60_000
const FRACTION_DIGITS_MAX = 8
const ZONE = /([+-])(\d{2}):?(\d{2})$/

const NUMBER = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: FRACTION_DIGITS_MAX })
const DAY = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: 'medium', timeZone: 'UTC' })
const MOMENT = new Intl.DateTimeFormat(LANGUAGE, {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
})

/** Of a rendered pass, whose values are of their formats. Chosen: dates read like “31 Jan 2027”, and times say their zone. */
export function fieldText({ value, format, currency }: PassField): string {
  if (format === 'text' || value === '') return value
  // The types know only texts that are written as numbers in the source.
  if (format === 'number') return NUMBER.format(value as `${number}`)
  if (format === 'currency') return amountFormat(currency).format(value as `${number}`)
  const at = parseFilterInstant(value)
  assert(at !== null, 'a rendered moment is one')
  const { sign, hours, minutes } = zoneIn(value)
  const local = at + sign * (hours * 60 + minutes) * MINUTE_MS
  if (format === 'date') return DAY.format(local)
  const zone = hours + minutes === 0 ? '' : (sign < 0 ? '−' : '+') + hours
  return MOMENT.format(local) + ' UTC' + zone + (minutes === 0 ? '' : ':' + minutes)
}

function amountFormat(currency: string | null): Intl.NumberFormat {
  return currency === null
    ? NUMBER
    : new Intl.NumberFormat(LANGUAGE, { style: 'currency', currency })
}

function zoneIn(value: string): { sign: 1 | -1; hours: number; minutes: number } {
  // A day has no zone, and what looks like one there is its month.
  const [, sign, hours = '0', minutes = '0'] = value.includes('T') ? (ZONE.exec(value) ?? []) : []
  return { sign: sign === '-' ? -1 : 1, hours: Number(hours), minutes: Number(minutes) }
}
