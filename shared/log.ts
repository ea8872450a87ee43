// Structured logs. One line of JSON each, with a correlation id where there is one; secrets, PANs and CVCs are cut out twice.
import { type Logger, pino } from 'pino'

export type { Logger }

const REDACTED = [
  'pan',
  'cvc',
  'pin',
  'secret',
  'authorization',
  'signature',
  'token',
  'password',
  'key',
].flatMap((name) => [name, '*.' + name, '*.*.' + name])

/** 13 to 19 digits, with the spaces and dashes people write: looks like a PAN wherever it stands. */
const PAN_LIKE = /(?<![\w.-])(?:\d[ -]?){12,18}\d(?![\w.-])/g

/** Replaces anything PAN-like, so that text from outside may be logged. */
export function withoutPans(text: string): string {
  return text.replace(PAN_LIKE, '[pan]')
}

/** The log of one process, on standard output. */
export function createLog(options: { name: string; level: string }): Logger {
  return pino({
    name: options.name,
    level: options.level,
    base: { name: options.name },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: REDACTED, censor: '[redacted]' },
    hooks: {
      streamWrite: (line) => (line.search(PAN_LIKE) === -1 ? line : withoutPans(line)),
    },
  })
}
