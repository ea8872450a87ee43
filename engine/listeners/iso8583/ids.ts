// Ids of a message and its transaction, made of fields that every copy of the message repeats.
import type { Fields } from '../../../shared/wire/iso8583/fields.ts'

/** Fields that every message has: the ids are made of some of them. */
export const REQUIRED = [3, 4, 7, 32, 41, 42, 43, 49] as const
export type Whole = Fields & Required<Pick<Fields, (typeof REQUIRED)[number]>>

/** Parts of a message that both ids have in another form than its fields. */
interface Named {
  /** Field 41 without spaces at its end, encoded. */
  terminal: string
  /** RFC 3339 with milliseconds, in UTC. */
  transmittedAt: string
}

const NO_STAN = '000000'
const YEAR_CHARACTERS = 4
/** Text that an encoding leaves as it is. */
const PLAIN = /^[\w.~!*'()-]*$/

/**
 * The same for a message and its repeats, whose MTI ends in another digit: class and function,
 * acquirer, STAN, moment of transmission, terminal.
 */
export function messageIdOf(mti: string, fields: Whole, named: Named): string {
  // Field 7 has all of the moment but its year.
  const moment = named.transmittedAt.slice(0, YEAR_CHARACTERS) + fields[7]
  const kind = 'iso-' + mti.slice(0, 3)
  return kind + '-' + fields[32] + '-' + traceOf(fields) + '-' + moment + '-' + named.terminal
}

/** The text as an id may contain it. */
export function encoded(text: string): string {
  return PLAIN.test(text) ? text : encodeURIComponent(text)
}

/** The STAN, or the retrieval reference number of an acquirer that sends none. */
function traceOf(fields: Whole): string {
  return fields[11] ?? (encoded(fields[37]?.trim() ?? '') || NO_STAN)
}

/**
 * Field 63. Chosen, where it is absent: acquirer, terminal and retrieval reference number (37),
 * which a reversal repeats; else acquirer, STAN and moment, which a reversal names in field 90.
 */
export function transactionIdOf(fields: Whole, { terminal, transmittedAt }: Named): string {
  if (fields[63] !== undefined) return fields[63]
  const reference = encoded(fields[37]?.trim() ?? '')
  if (reference !== '') return 'rrn-' + fields[32] + '-' + terminal + '-' + reference
  const { 90: original } = fields
  if (original === undefined) {
    const moment = transmittedAt.slice(5, 19).replaceAll(/[-:T]/g, '')
    return ['stan', trimZeros(fields[32]), traceOf(fields), moment].join('-')
  }
  const [stan, moment, acquirer] = [
    original.slice(4, 10),
    original.slice(10, 20),
    original.slice(20, 31),
  ]
  return ['stan', trimZeros(acquirer), stan, moment].join('-')
}

function trimZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '')
}
