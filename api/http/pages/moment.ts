// Moments on the pages that the API serves.
import { type EpochMs, isoInstant } from '../../../shared/clock.ts'
import { type Html, html } from '../../../shared/html.ts'

let format: Intl.DateTimeFormat | undefined

/** For example “20 Nov 2026, 12:00 UTC”. */
export function momentText(at: EpochMs): string {
  // To make it loads the data of all locales, which a start need not wait for.
  format ??= new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
  return format.format(at) + ' UTC'
}

export function moment(at: EpochMs): Html {
  return html`<time datetime="${isoInstant(at)}">${momentText(at)}</time>`
}
