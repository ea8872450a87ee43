// Rows of a timeline as text: a moment, a step, and its description.
import type { Style } from './style.ts'

export interface Row {
  /** Microseconds after receipt; null if the row has no moment of its own. */
  atUs: number | null
  step: string
  lines: string[]
}

export function rowText(row: Row, style: Style): string {
  const moment = row.atUs === null ? '' : milliseconds(row.atUs)
  return row.lines
    .map((line, index) => {
      const left =
        index === 0 ? moment.padStart(11) + '  ' + row.step.padEnd(8) + ' ' : ' '.repeat(22)
      return (index === 0 ? style.faint(left.slice(0, 13)) + left.slice(13) : left) + line + '\n'
    })
    .join('')
}

/** Microseconds as `1.234 ms`. */
function milliseconds(us: number): string {
  return Math.floor(us / 1000) + '.' + String(Math.floor(us % 1000)).padStart(3, '0') + ' ms'
}

/** Minor units in the usual notation; no arithmetic on fractions. */
export function money(amount: { amount: number; currency: string; exponent: number }): string {
  const sign = amount.amount < 0 ? '-' : ''
  const digits = String(Math.abs(amount.amount)).padStart(amount.exponent + 1, '0')
  const whole = digits.slice(0, digits.length - amount.exponent)
  const fraction = digits.slice(digits.length - amount.exponent)
  return sign + whole + (fraction === '' ? '' : '.' + fraction) + ' ' + amount.currency
}

/** Replaces control characters, which a terminal would obey, in foreign text. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ')
}
