// Structured logs. One line of JSON each, with a correlation id where there is one; secrets, PANs
// and CVCs are cut out twice.
import { type Logger, type LoggerOptions, pino } from 'pino'
import { LogDestination, logLinesDropped } from './log-destination.ts'
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

/**
 * 13 to 19 digits, with the spaces and dashes people write: looks like a PAN wherever it stands.
 */
const PAN_LIKE = /(?<![\w.-])(?:\d[ -]?){12,18}\d(?![\w.-])/g

/**
 * Replaces anything PAN-like, and every card number by its digits, so that text from outside may be
 * logged.
 */
export function withoutPans(text: string): string {
  return cutPans(text.replace(PAN_LIKE, '[pan]'))
}

/** A text of JSON, or a value that a cut left bare: a number, of which `[pan]` is none. */
const TEXT_OR_CUT = /"(?:[^"\\]|\\.)*"|[-+.\w]*\[pan\][-+.\w]*/g

/** A line without PANs that is JSON still. */
function lineWithoutPans(line: string): string {
  const cut = withoutPans(line)
  if (cut === line) return line
  return cut.replace(TEXT_OR_CUT, (found) => (found.startsWith('"') ? found : '"[pan]"'))
}

/** Standard output. */
const LOG_FD = 1

/**
 * The log of one process, on standard output. Lines wait up to `lingerMs` milliseconds for others
 * to leave together. The log never blocks, slows or ends the process: lines that cannot be written
 * are dropped and counted (`logMetricLines`). An exit waits a second at most for the last lines; a
 * kill loses those that wait.
 */
export function createLog(options: { name: string; level: string; lingerMs?: number }): Logger {
  const { name, level, lingerMs = 0 } = options
  const lines: LoggerOptions = {
    name,
    level,
    base: { name },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: REDACTED, censor: '[redacted]' },
    hooks: {
      streamWrite: lineWithoutPans,
    },
  }
  return pino(lines, new LogDestination({ fd: LOG_FD, name, lingerMs }))
}

/** The metric of dropped log lines, as lines of a Prometheus page. */
export function logMetricLines(): string[] {
  return [
    '# HELP svc_log_lines_dropped_total Log lines dropped because the log could not be written.',
    '# TYPE svc_log_lines_dropped_total counter',
    'svc_log_lines_dropped_total ' + logLinesDropped(),
  ]
}

/**
 * Logs an error that nothing caught as a fatal line and ends the process with `exitCode`. Warnings
 * of Node become lines of the log: Node itself writes both to standard error and waits for it.
 */
export function logProcessErrors(log: Logger, exitCode: number): void {
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'an error was not caught')
    process.exit(exitCode)
  })
  process.removeAllListeners('warning')
  process.on('warning', (warning) => log.warn({ err: warning }, 'Node warns'))
}
