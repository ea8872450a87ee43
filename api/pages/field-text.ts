// A field of a pass as it is read: numbers, amounts and moments as people write them who speak the language of the pass. Wallets do
// the same in the holder's zone; a page does not know it, so it writes a moment as the clock beside its own zone shows it.
import { assert } from '../../shared/assert.ts'
import type { PassField } from '../../shared/schemas/pass-content.ts'
import { parseFilterInstant } from '../created-filter.ts'

const ENGLISH = 'en-GB'
const MINUTE_MS = 60_000
const FRACTION_DIGITS_MAX = 8
const ZONE = /([+-])(\d{2}):?(\d{2})$/

const FORMATS = {
  number: { maximumFractionDigits: FRACTION_DIGITS_MAX },
  date: { dateStyle: 'medium', timeZone: 'UTC' },
  date_time: { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' },
} as const
const NUMBER = new Intl.NumberFormat(ENGLISH, FORMATS.number)
const MOMENTS = {
  date: new Intl.DateTimeFormat(ENGLISH, FORMATS.date),
  date_time: new Intl.DateTimeFormat(ENGLISH, FORMATS.date_time),
}

/**
 * Of a rendered pass, whose values are of their formats. `language`: of a translation, else as in English. Chosen: dates read
 * like “31 Jan 2027”, and times say their zone.
 */
export function fieldText({ value, format, currency }: PassField, language = ''): string {
  if (format === 'text' || value === '') return value
  const locale = language === '' || language === 'en' ? ENGLISH : language
  // The types know only texts that are written as numbers in the source.
  if (format === 'number' || format === 'currency')
    return numberFormat(locale, currency).format(value as `${number}`)
  const at = parseFilterInstant(value)
  assert(at !== null, 'a rendered moment is one')
  const { sign, hours, minutes } = zoneIn(value)
  const local = at + sign * (hours * 60 + minutes) * MINUTE_MS
  const moment = momentFormat(locale, format).format(local)
  if (format === 'date') return moment
  const zone = hours + minutes === 0 ? '' : (sign < 0 ? '−' : '+') + hours
  return moment + ' UTC' + zone + (minutes === 0 ? '' : ':' + minutes)
}

/** Those of other languages are made when they are needed: there are more of them than are worth keeping. */
function numberFormat(locale: string, currency: string | null): Intl.NumberFormat {
  if (currency !== null) return new Intl.NumberFormat(locale, { style: 'currency', currency })
  return locale === ENGLISH ? NUMBER : new Intl.NumberFormat(locale, FORMATS.number)
}

function momentFormat(locale: string, format: 'date' | 'date_time'): Intl.DateTimeFormat {
  return locale === ENGLISH ? MOMENTS[format] : new Intl.DateTimeFormat(locale, FORMATS[format])
}

function zoneIn(value: string): { sign: 1 | -1; hours: number; minutes: number } {
  // A day has no zone, and what looks like one there is its month.
  const [, sign, hours = '0', minutes = '0'] = value.includes('T') ? (ZONE.exec(value) ?? []) : []
  return { sign: sign === '-' ? -1 : 1, hours: Number(hours), minutes: Number(minutes) }
}
