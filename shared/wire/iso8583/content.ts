// The allowed contents of ISO 8583 fields, one value per kind: characters by class, moments that
// exist on a calendar, and the fields with a structure of their own. All are pure predicates.

/** A requirement on a value: a word for the sentence that refuses it, and the predicate. */
export interface Content {
  readonly form: string
  holds(text: string): boolean
}

const DIGIT = 1
const LETTER = 2
const SPACE = 4
const SPECIAL = 8

/** Class of each ASCII character; control characters and everything beyond ASCII have none. */
const CLASSES = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code < 32 || code === 127) return 0
  if (code === 32) return SPACE
  const character = String.fromCharCode(code)
  if (/[0-9]/.test(character)) return DIGIT
  return /[A-Za-z]/.test(character) ? LETTER : SPECIAL
})

function ofClasses(form: string, classes: number): Content {
  return { form, holds: (text) => consistsOf(text, classes) }
}

function consistsOf(text: string, classes: number): boolean {
  for (let index = 0; index < text.length; index++) {
    if (((CLASSES[text.charCodeAt(index)] ?? 0) & classes) === 0) return false
  }
  return true
}

function ofPattern(form: string, pattern: RegExp): Content {
  return { form, holds: (text) => pattern.test(text) }
}

export const N = ofClasses('digits', DIGIT)
export const AN = ofClasses('letters and digits', DIGIT | LETTER)
export const ANP = ofClasses('letters, digits and spaces', DIGIT | LETTER | SPACE)
export const ANS = ofClasses('printable ASCII', DIGIT | LETTER | SPACE | SPECIAL)

/** x+n: a C for credit or a D for debit, then digits. */
export const SIGNED = ofPattern('C or D and digits', /^[CD]\d*$/)

export const MONTH_DAY: Content = { form: 'MMDD', holds: isMonthDay }
export const TIME: Content = { form: 'hhmmss', holds: isTime }
export const MOMENT: Content = { form: 'MMDDhhmmss', holds: isMoment }
export const YEAR_MONTH: Content = {
  form: 'YYMM',
  holds: (text) => consistsOf(text, DIGIT) && within(text, 2, 1, 12),
}

/** The first digit gives the number of the other seven digits behind the decimal point. */
export const RATE = ofPattern('a conversion rate', /^[0-7]\d{7}$/)

/** PAN, a separator, YYMM; service code and discretionary data follow. */
export const TRACK_2 = ofPattern('track 2', /^\d{12,19}[=D]\d{4}[\dA-F=]*$/)

/** Account type, amount type, currency, sign, twelve digits; up to six of them. */
export const ADDITIONAL_AMOUNTS = ofPattern('additional amounts', /^(?:\d{7}[CD]\d{12}){1,6}$/)

/**
 * MTI, STAN, transmission moment, acquirer and forwarder, each right-justified in eleven digits.
 */
export const ORIGINAL_DATA: Content = {
  form: 'original data elements',
  holds: (text) => consistsOf(text, DIGIT) && isMoment(text.slice(10, 20)),
}

/** Transaction and settlement amount, then a fee for each, which is zeros where there is none. */
export const REPLACEMENT_AMOUNTS = ofPattern('replacement amounts', /^\d{24}(?:[CD]\d{8}|0{9}){2}$/)

/** February has its 29th: the year is not in the message. */
const DAYS_IN_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function isMonthDay(text: string): boolean {
  if (!consistsOf(text, DIGIT) || !within(text, 0, 1, 12)) return false
  return within(text, 2, 1, DAYS_IN_MONTH[twoDigits(text, 0) - 1] ?? 0)
}

function isTime(text: string): boolean {
  return (
    consistsOf(text, DIGIT) &&
    within(text, 0, 0, 23) &&
    within(text, 2, 0, 59) &&
    within(text, 4, 0, 59)
  )
}

function isMoment(text: string): boolean {
  return isMonthDay(text.slice(0, 4)) && isTime(text.slice(4))
}

function within(text: string, at: number, low: number, high: number): boolean {
  const value = twoDigits(text, at)
  return value >= low && value <= high
}

function twoDigits(text: string, at: number): number {
  return Number(text.slice(at, at + 2))
}
