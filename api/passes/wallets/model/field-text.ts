// Formats a field of a pass for display: numbers, amounts and moments in the style of the pass's
// language. Wallets do the same in the holder's zone; a page does not know that zone, so it shows a
// moment by the clock of the moment's own zone.
import { assert } from '../../../../shared/assert.ts'
import type { PassField } from '../../../../shared/schemas/pass-content.ts'
import { parseFilterInstant } from '../../../database/created-filter.ts'

const ENGLISH = 'en-GB'
const MINUTE_MS = 60_000
const FRACTION_DIGITS_MAX = 8
const ZONE = /([+-])(\d{2}):?(\d{2})$/

const FORMATS = {
  number: { maximumFractionDigits: FRACTION_DIGITS_MAX },
  date: { dateStyle: 'medium', timeZone: 'UTC' },
  date_time: { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' },
} as const
/** English formats, each made when first used: a start needs none of them. */
const english: {
  number?: Intl.NumberFormat
  date?: Intl.DateTimeFormat
  date_time?: Intl.DateTimeFormat
} = {}

/**
 * For a rendered pass, whose values match their formats. `language`: of a translation, else
 * English. Chosen: dates read like “31 Jan 2027”, and times show their zone.
 */
export function fieldText({ value, format, currency }: PassField, language = ''): string {
  if (format === 'text' || value === '') return value
  const locale = language === '' || language === 'en' ? ENGLISH : language
  // The types accept only texts that are written as numbers in the source.
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

/** Formats of other languages are made on demand: too many exist to keep. */
function numberFormat(locale: string, currency: string | null): Intl.NumberFormat {
  if (currency !== null) return new Intl.NumberFormat(locale, { style: 'currency', currency })
  if (locale !== ENGLISH) return new Intl.NumberFormat(locale, FORMATS.number)
  english.number ??= new Intl.NumberFormat(ENGLISH, FORMATS.number)
  return english.number
}

function momentFormat(locale: string, format: 'date' | 'date_time'): Intl.DateTimeFormat {
  if (locale !== ENGLISH) return new Intl.DateTimeFormat(locale, FORMATS[format])
  const made = english[format] ?? new Intl.DateTimeFormat(ENGLISH, FORMATS[format])
  english[format] = made
  return made
}

function zoneIn(value: string): { sign: 1 | -1; hours: number; minutes: number } {
  // A day has no zone; the match there would be its month.
  const [, sign, hours = '0', minutes = '0'] = value.includes('T') ? (ZONE.exec(value) ?? []) : []
  return { sign: sign === '-' ? -1 : 1, hours: Number(hours), minutes: Number(minutes) }
}
