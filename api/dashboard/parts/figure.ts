// One number that matters, its name, and its meaning.
import { type Html, html } from '../../../shared/html.ts'

export interface Figure {
  label: string
  value: Html | string
  note?: Html | string | null
  mood?: 'good' | 'bad' | 'warn'
}

/** A row of figures. */
export function figures(shown: readonly Figure[]): Html {
  return html`<dl class="figures">${shown.map(
    ({ label, value, note = null, mood = 'plain' }) =>
      html`<div class="figure ${mood}"><dt>${label}</dt><dd><strong>${value}</strong>${
        note === null ? null : html`<span>${note}</span>`
      }</dd></div>`,
  )}</dl>`
}

/** A share of 0 to 1 as `93.1 %`. */
export function percent(share: number | null): string {
  return share === null ? '–' : points(share) + ' %'
}

/** A difference of shares in hundredths, with one decimal. */
export function points(share: number): string {
  return (Math.round(share * 1000) / 10).toLocaleString('en')
}
