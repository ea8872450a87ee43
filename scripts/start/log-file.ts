// The log of one process: JSON lines in a file (0600) that is bounded by rotation whenever the process starts,
// with warnings and errors repeated on the terminal, shortly.
import {
  closeSync,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { sleep } from '../../shared/clock.ts'

/** A log that is larger when its process starts becomes `<name>.log.1`. */
const LOG_BYTES_MAX = 16 * 1024 * 1024
const LAST_WORDS_BYTES_MAX = 16 * 1024
const LAST_WORDS_CHARACTERS_MAX = 300
const FOLLOW_EVERY_MS = 250
const FOLLOW_BYTES_MAX = 64 * 1024
const FOLLOW_LINES_MAX = 5
/** pino's number for `warn`. */
const WARN_LEVEL = 40
const LEVEL_NAMES: { readonly [level: number]: string } = {
  40: 'warning',
  50: 'error',
  60: 'fatal',
}

export interface LogFile {
  fd: number
  /** Bytes that were there before this run. */
  startedAt: number
  close(): void
}

/** Opens the log for appending, rotated first when it is too large. */
export function openLogFile(path: string): LogFile {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  if (sizeOf(path) > LOG_BYTES_MAX) renameSync(path, path + '.1')
  const fd = openSync(path, 'a', 0o600)
  fchmodSync(fd, 0o600)
  return { fd, startedAt: fstatSync(fd).size, close: () => closeSync(fd) }
}

interface LogLine {
  level: number
  text: string
}

/** A line of JSON by its level and message; any other text has level 0. */
function parseLogLine(line: string): LogLine {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null && 'level' in value && 'msg' in value) {
      return { level: Number(value.level), text: printable(String(value.msg) + causeOf(value)) }
    }
  } catch {
    // Not JSON: the words of Node itself or of a library.
  }
  return { level: 0, text: printable(line) }
}

/** What a line says beside its message: the error's own, or the reason. */
function causeOf(line: object): string {
  if ('reason' in line) return ': ' + String(line.reason)
  const error = 'err' in line ? line.err : null
  if (typeof error !== 'object' || error === null || !('message' in error)) return ''
  return ': ' + String(error.message)
}

/** One line without control characters: logs may quote what strangers sent. */
function printable(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, LAST_WORDS_CHARACTERS_MAX)
}

/** Why a run ended, as far as its log tells: its last error line, else an uncaught error, else what is no log line. */
export function lastWordsOf(path: string, startedAt: number): string | null {
  const from = Math.max(startedAt, sizeOf(path) - LAST_WORDS_BYTES_MAX)
  const lines = readText(path, from).split('\n')
  // The end of a line whose beginning is not read would pass for the words of somebody else.
  if (from > startedAt) lines.shift()
  const parsed = lines.filter((line) => line.trim() !== '').map(parseLogLine)
  const complaint = parsed.findLast((line) => line.level > WARN_LEVEL)
  const thrown = parsed.findLast(
    (line) => line.level === 0 && /^(\w*Error|Error)\b/.test(line.text),
  )
  const unstructured = parsed.findLast((line) => line.level === 0)
  return (complaint ?? thrown ?? unstructured)?.text || null
}

/** Repeats warnings and errors that are appended from now on, until the signal aborts. */
export async function followLogFile(
  path: string,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let at = sizeOf(path)
  let rest = ''
  while (!signal.aborted) {
    await sleep(FOLLOW_EVERY_MS, signal)
    const size = sizeOf(path)
    if (size < at) at = 0
    if (size === at) continue
    const from = Math.max(at, size - FOLLOW_BYTES_MAX)
    const lines = (from === at ? rest : '').concat(readText(path, from, size)).split('\n')
    at = size
    rest = lines.pop() ?? ''
    const worth = lines.map(parseLogLine).filter((line) => line.level >= WARN_LEVEL)
    for (const line of worth.slice(0, FOLLOW_LINES_MAX)) {
      say((LEVEL_NAMES[line.level] ?? 'note') + ': ' + line.text)
    }
    if (worth.length > FOLLOW_LINES_MAX) {
      say(worth.length - FOLLOW_LINES_MAX + ' more warnings in ' + path)
    }
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

function readText(path: string, from: number, until: number = sizeOf(path)): string {
  if (until <= from) return ''
  const bytes = Buffer.alloc(until - from)
  const fd = openSync(path, 'r')
  try {
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, from)).toString('utf8')
  } finally {
    closeSync(fd)
  }
}
