// Moments, in UTC unless the reader asks the browser for local time.
import { type EpochMs, isoInstant, parseInstant } from '../../../shared/clock.ts'
import { type Html, html } from '../../../shared/html.ts'

const FULL = new Intl.DateTimeFormat('en-GB', {
  ...{ day: '2-digit', month: 'short', year: 'numeric', hour: '2-digit' },
  ...{ minute: '2-digit', second: '2-digit', timeZone: 'UTC' },
})

/** `26 Nov 2026, 15:04:12`. */
export function momentText(at: EpochMs): string {
  return FULL.format(at)
}

/** A moment: milliseconds, ISO 8601, or nothing. */
export function moment(at: EpochMs | string | null | undefined): Html {
  const known = typeof at === 'string' ? parseInstant(at) : (at ?? null)
  if (known === null) return html`<span class="soft">–</span>`
  const iso = isoInstant(known)
  return html`<time datetime="${iso}" title="${iso}">${momentText(known)}</time>`
}

/** The zone of the moment before it; it is hidden where the reader chose local time. */
export const UTC = html` <span class="zone">UTC</span>`

/** A moment in Unix seconds, or nothing. */
export function seconds(at: number | null | undefined): Html {
  return moment(at === null || at === undefined ? null : at * 1000)
}

/** `in 2 d`, `3 h ago`: the distance to now, in its largest unit. */
export function distance(at: EpochMs, now: EpochMs): string {
  const [minutes, isPast] = [Math.round(Math.abs(at - now) / 60_000), at < now]
  if (minutes === 0) return 'now'
  const size = sizeOf(minutes)
  return isPast ? size + ' ago' : 'in ' + size
}

/** `40 s`, `3 h`: a time in seconds, in its largest unit. */
export function span(seconds: number): string {
  return seconds < 60 ? Math.round(seconds) + ' s' : sizeOf(Math.round(seconds / 60))
}

/** `90 s`, `1 h`: an exact time in seconds, in the largest unit that it is whole in. */
export function exactSpan(seconds: number): string {
  const [size, unit] = UNITS.find(([one]) => seconds % one === 0) ?? [1, 's']
  return seconds / size + ' ' + unit
}

const UNITS = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
] as const

function sizeOf(minutes: number): string {
  if (minutes < 60) return minutes + ' min'
  return minutes < 2880 ? Math.round(minutes / 60) + ' h' : Math.round(minutes / 1440) + ' d'
}
