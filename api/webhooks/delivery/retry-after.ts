// Reads a receiver's Retry-After. RFC 9110 10.2.3: seconds, or a moment in one of HTTP's three
// spellings.
import type { EpochMs } from '../../../shared/clock.ts'

/** Only these two statuses ask for a delay; with any other status the header is ignored. */
const PATIENCE_STATUSES: readonly number[] = [429, 503]
const DAY_NAME = '(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?'
const WITH_ZONE = new RegExp(
  '^' + DAY_NAME + ', \\d\\d[ -][A-Z][a-z]{2}[ -](?:\\d\\d|\\d{4}) \\d\\d:\\d\\d:\\d\\d GMT$',
)
const ASCTIME = new RegExp('^' + DAY_NAME + ' [A-Z][a-z]{2} [ \\d]\\d \\d\\d:\\d\\d:\\d\\d \\d{4}$')

/**
 * Milliseconds from `now`, never negative; null when the header is absent, unreadable or of another
 * status.
 */
export function retryAfterMs(
  status: number,
  header: string | undefined,
  now: EpochMs,
): number | null {
  if (header === undefined || !PATIENCE_STATUSES.includes(status)) return null
  const text = header.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const moment = momentOf(text)
  return moment === null ? null : Math.max(0, moment - now)
}

function momentOf(text: string): EpochMs | null {
  // A time without a zone is GMT, wherever this process runs.
  const stated = ASCTIME.test(text) ? text + ' GMT' : text
  if (stated === text && !WITH_ZONE.test(text)) return null
  const moment = Date.parse(stated)
  return Number.isNaN(moment) ? null : moment
}
