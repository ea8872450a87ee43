// Structured logs. One line of JSON each, with a correlation id where there is one; secrets, PANs and CVCs are cut out twice.
import { type Logger, type LoggerOptions, pino } from 'pino'
import { cutPans } from './pan-search.ts'

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

/** Replaces anything PAN-like, and every card number by its digits, so that text from outside may be logged. */
export function withoutPans(text: string): string {
  return cutPans(text.replace(PAN_LIKE, '[pan]'))
}

/** Bytes of lines that are written without waiting for more of them. */
const TOGETHER_BYTES = 4096

/**
 * The log of one process, on standard output. Where there is a `lingerMs`, lines wait so long for others to leave together:
 * a write of its own costs more than the line. They leave when the process exits, and are lost when it is killed.
 */
export function createLog(options: { name: string; level: string; lingerMs?: number }): Logger {
  const { name, level, lingerMs } = options
  const lines: LoggerOptions = {
    name,
    level,
    base: { name },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: REDACTED, censor: '[redacted]' },
    hooks: {
      streamWrite: withoutPans,
    },
  }
  if (lingerMs === undefined) return pino(lines)
  const together = { sync: false, minLength: TOGETHER_BYTES, periodicFlush: lingerMs }
  return pino(lines, pino.destination(together))
}
