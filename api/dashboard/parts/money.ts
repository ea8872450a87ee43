// Amounts in minor units, as people read them.
import { type Html, html } from '../../../shared/html.ts'
import { currencyExponent } from '../../../shared/money.ts'
import { FieldProblem, type Form } from '../page.ts'

const FORMATS = new Map<number, Intl.NumberFormat>()

/** `1,234.50 USD`; minor units in, with as many decimals as the currency has. */
export function moneyText(cents: number, currency: string): string {
  const digits = currencyExponent(currency)
  const format =
    FORMATS.get(digits) ??
    new Intl.NumberFormat('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
  FORMATS.set(digits, format)
  return format.format(cents / 10 ** digits) + ' ' + currency
}

/** The amount alone, as `centsIn` reads it. */
export function amountText(cents: number, currency: string): string {
  return moneyText(cents, currency).slice(0, -currency.length - 1)
}

/** An amount in a column of figures. */
export function money(cents: number | null, currency: string): Html {
  if (cents === null) return html`<span class="soft">–</span>`
  return html`<span class="num">${moneyText(cents, currency)}</span>`
}

const WHOLE = new Intl.NumberFormat('en')

/** A count with its thousands apart. */
export function countText(count: number): string {
  return WHOLE.format(count)
}

/** Minor units of a typed amount such as `12.50`; null for text that is none. */
export function centsIn(text: string, currency: string): number | null {
  const digits = currencyExponent(currency)
  const found = /^(\d{1,12})(?:\.(\d+))?$/.exec(text.replaceAll(',', ''))
  const [, whole = '', part = ''] = found ?? []
  if (found === null || part.length > digits) return null
  return Number(whole + part.padEnd(digits, '0'))
}

/** The field `amount` of a form, in minor units of the currency; throws for another text. */
export function amountIn(sent: Form, currency: string): number {
  const cents = centsIn(sent('amount'), currency)
  if (cents === null) throw new FieldProblem('amount', 'Type an amount such as 12.50.')
  return cents
}
