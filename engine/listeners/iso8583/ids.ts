// Ids of a message and its transaction, made of fields that every copy of the message repeats.
import { isoInstant } from '../../../shared/clock.ts'
import type { Whole } from './request.ts'

const NO_STAN = '000000'

/**
 * The same for a message and its repeats, whose MTI ends in another digit: class and function,
 * acquirer, STAN, moment of transmission, terminal.
 */
export function messageIdOf(mti: string, fields: Whole, transmittedAtMs: number): string {
  const terminal = encodeURIComponent(fields[41].trimEnd())
  // Field 7 has all of the moment but its year.
  const moment = new Date(transmittedAtMs).getUTCFullYear() + fields[7]
  const kind = 'iso-' + mti.slice(0, 3)
  return kind + '-' + fields[32] + '-' + traceOf(fields) + '-' + moment + '-' + terminal
}

/** The STAN, or the retrieval reference number of an acquirer that sends none. */
function traceOf(fields: Whole): string {
  return fields[11] ?? (encodeURIComponent(fields[37]?.trim() ?? '') || NO_STAN)
}

/**
 * Field 63. Chosen, where it is absent: acquirer, terminal and retrieval reference number (37),
 * which a reversal repeats; else acquirer, STAN and moment, which a reversal names in field 90.
 */
export function transactionIdOf(fields: Whole, transmittedAtMs: number): string {
  if (fields[63] !== undefined) return fields[63]
  const terminal = encodeURIComponent(fields[41].trimEnd())
  const reference = encodeURIComponent(fields[37]?.trim() ?? '')
  if (reference !== '') return ['rrn', fields[32], terminal, reference].join('-')
  const { 90: original } = fields
  if (original === undefined) {
    const moment = isoInstant(transmittedAtMs).slice(5, 19).replaceAll(/[-:T]/g, '')
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
