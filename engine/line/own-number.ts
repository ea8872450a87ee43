// Where a message names a card by its token, its identifiers must not hold the number of that card.
// The number is known by its keyed fingerprint only, so digits are compared by theirs. Part of
// decode.
import { beginsKnownPan, isKnownPan, KNOWN_DIGITS_MAX, KNOWN_DIGITS_MIN } from '../../shared/pan.ts'
import { nextDigitRun } from '../../shared/pan-search.ts'

/** Characters between the digits of a number that is written in groups. */
const GROUP_SEPARATORS = ' ._-'
const GROUPED = /\D/
const NO_DIGITS = /\D/g

/**
 * True where the digits of `text`, in one piece or in groups, hold a number of a known range for
 * which `matches` is true. Text without a run of 13 digits costs a look at every twelfth character.
 */
export function holdsNumber(
  text: string | undefined,
  matches: (number: string) => boolean = () => true,
): boolean {
  if (text === undefined || text.length < KNOWN_DIGITS_MIN) return false
  for (let run = nextDigitRun(text, 0, GROUP_SEPARATORS); run !== null; ) {
    const written = text.slice(run.from, run.to)
    const digits = GROUPED.test(written) ? written.replaceAll(NO_DIGITS, '') : written
    if (holdsWithin(digits, matches)) return true
    run = nextDigitRun(text, run.to, GROUP_SEPARATORS)
  }
  return false
}

function holdsWithin(digits: string, matches: (number: string) => boolean): boolean {
  for (let from = 0; from + KNOWN_DIGITS_MIN <= digits.length; from++) {
    if (!beginsKnownPan(digits, from)) continue
    for (let length = KNOWN_DIGITS_MIN; length <= KNOWN_DIGITS_MAX; length++) {
      if (from + length > digits.length) break
      const number = digits.slice(from, from + length)
      if (isKnownPan(number) && matches(number)) return true
    }
  }
  return false
}
