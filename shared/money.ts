// Amounts are integers of a currency's smallest unit. Only this file makes values of the branded
// type.

declare const minorUnitsBrand: unique symbol
/** A safe integer of the currency's smallest unit, 0 … 2^53−1. */
export type MinorUnits = number & { readonly [minorUnitsBrand]: true }

export const AMOUNT_MAX = Number.MAX_SAFE_INTEGER

/** The only way into the brand: a whole number from 0 to AMOUNT_MAX. */
export function isMinorUnits(value: unknown): value is MinorUnits {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** Decimals of the ISO 4217 currencies we accept; an unlisted currency is unknown to us. */
const CURRENCY_EXPONENTS: { readonly [currency: string]: number } = {
  AED: 2, AUD: 2, BGN: 2, BHD: 3, BRL: 2, CAD: 2, CHF: 2, CLP: 0, CNY: 2, COP: 2, CZK: 2, DKK: 2,
  EGP: 2, EUR: 2, GBP: 2, HKD: 2, HUF: 2, IDR: 2, ILS: 2, INR: 2, ISK: 0, JOD: 3, JPY: 0, KRW: 0,
  KWD: 3, MAD: 2, MXN: 2, MYR: 2, NOK: 2, NZD: 2, OMR: 3, PEN: 2, PHP: 2, PLN: 2, QAR: 2, RON: 2,
  SAR: 2, SEK: 2, SGD: 2, THB: 2, TND: 3, TRY: 2, TWD: 2, UAH: 2, USD: 2, VND: 0, ZAR: 2,
} // biome-ignore format: a table reads better in rows.

/** Number of decimals of a currency; 2 where the table does not know it. */
export function currencyExponent(currency: string): number {
  return CURRENCY_EXPONENTS[currency] ?? 2
}

/** True for a currency whose decimals we know. */
export function isCurrency(text: string): boolean {
  return Object.hasOwn(CURRENCY_EXPONENTS, text)
}
