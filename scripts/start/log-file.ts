// The log of one process: JSON lines in a file (0600) that is bounded by rotation while the process
// runs, with warnings and errors repeated on the terminal, shortly. No failure of the log's disk
// keeps a process from running.
import { constants } from 'node:fs'
import { copyFile, mkdir, open, rename, rm, stat, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import { sleep } from '../../shared/clock.ts'

/**
 * Chosen: a log that is larger becomes `<name>.log.1`; two files of each process at most, so that
 * logs never fill the disk on which the journal lives.
 */
const LOG_BYTES_MAX = 8 * 1024 * 1024
/**
 * Chosen: a disk that hangs holds up the start of a process, and the sentence on its end, for this
 * long.
 */
const DISK_MS_MAX = 2000
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
  /** For the output of the process; `ignore` where the log cannot be opened. */
  fd: number | 'ignore'
  /** Bytes that were there before this run. */
  startedAt: number
  close(): Promise<void>
}

const NO_LOG: LogFile = { fd: 'ignore', startedAt: 0, close: async () => undefined }

/**
 * Opens the log for appending, rotated first when it is too large. Never rejects, and ends in time.
 */
export async function openLogFile(path: string): Promise<LogFile> {
  const opening = openRotated(path)
  const log = await inTime(opening, NO_LOG)
  // A log that opens too late is not used.
  if (log === NO_LOG) void opening.then((late) => late.close()).catch(() => undefined)
  return log
}

async function openRotated(path: string): Promise<LogFile> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  if ((await sizeOf(path)) > LOG_BYTES_MAX) await rename(path, path + '.1')
  const file = await open(path, 'a', 0o600)
  await file.chmod(0o600)
  return { fd: file.fd, startedAt: (await file.stat()).size, close: () => file.close() }
}

/**
 * Cuts the log of a running process, which keeps its descriptor: the lines are copied first where
 * there is room, and those that the process writes meanwhile are lost. The cut needs no room.
 */
async function cutLogFile(path: string): Promise<void> {
  const former = path + '.1'
  const copied = await copyFile(path, former, constants.COPYFILE_FICLONE).then(
    () => true,
    () => false,
  )
  // The log is cut also where a broken copy cannot be removed.
  if (!copied) await rm(former, { force: true }).catch(() => undefined)
  await truncate(path, 0)
}

/** The value, or `instead` where the disk fails or hangs. */
async function inTime<Value>(work: Promise<Value>, instead: Value): Promise<Value> {
  const over = new AbortController()
  const late = sleep(DISK_MS_MAX, over.signal).then(() => instead)
  try {
    return await Promise.race([work, late])
  } catch {
    return instead
  } finally {
    over.abort()
  }
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

/** The cause in a line, beside its message: the error's own, or the reason. */
function causeOf(line: object): string {
  if ('reason' in line) return ': ' + String(line.reason)
  const error = 'err' in line ? line.err : null
  if (typeof error !== 'object' || error === null || !('message' in error)) return ''
  return ': ' + String(error.message)
}

/** One line without control characters: logs may quote text of strangers. */
function printable(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, LAST_WORDS_CHARACTERS_MAX)
}

/**
 * The reason of the end of a run, as far as its log shows it: its last error line, else an uncaught
 * error, else a line that is no log line.
 */
export async function lastWordsOf(path: string, startedAt: number): Promise<string | null> {
  return inTime(readLastWords(path, startedAt), null)
}

async function readLastWords(path: string, startedAt: number): Promise<string | null> {
  const size = await sizeOf(path)
  // A log that was cut during the run holds nothing else.
  const ownFrom = size < startedAt ? 0 : startedAt
  const from = Math.max(ownFrom, size - LAST_WORDS_BYTES_MAX)
  const lines = (await readText(path, from, size)).split('\n')
  // A partial line must not pass for a whole one, so the first is dropped if its beginning was not
  // read.
  if (from > ownFrom) lines.shift()
  const parsed = lines.filter((line) => line.trim() !== '').map(parseLogLine)
  const complaint = parsed.findLast((line) => line.level > WARN_LEVEL)
  const thrown = parsed.findLast(
    (line) => line.level === 0 && /^(\w*Error|Error)\b/.test(line.text),
  )
  const unstructured = parsed.findLast((line) => line.level === 0)
  return (complaint ?? thrown ?? unstructured)?.text || null
}

/**
 * Repeats warnings and errors that are appended from now on, and bounds the log, until the signal
 * aborts.
 */
export async function followLogFile(
  path: string,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const follow = new Follower(path, say)
  await follow.begin().catch(() => undefined)
  while (!signal.aborted) {
    await sleep(FOLLOW_EVERY_MS, signal)
    // A disk that fails now may work at the next look.
    await follow.look().catch(() => undefined)
  }
}

class Follower {
  readonly #path: string
  readonly #say: (line: string) => void
  #at = 0
  #rest = ''

  constructor(path: string, say: (line: string) => void) {
    this.#path = path
    this.#say = say
  }

  async begin(): Promise<void> {
    this.#at = await sizeOf(this.#path)
  }

  async look(): Promise<void> {
    const size = await sizeOf(this.#path)
    if (size < this.#at) this.#at = 0
    if (size === this.#at) return
    const from = Math.max(this.#at, size - FOLLOW_BYTES_MAX)
    const before = from === this.#at ? this.#rest : ''
    const lines = (before + (await readText(this.#path, from, size))).split('\n')
    this.#at = size
    this.#rest = lines.pop() ?? ''
    this.#repeat(lines.map(parseLogLine).filter((line) => line.level >= WARN_LEVEL))
    if (size > LOG_BYTES_MAX) await cutLogFile(this.#path)
  }

  #repeat(worth: readonly LogLine[]): void {
    for (const line of worth.slice(0, FOLLOW_LINES_MAX)) {
      this.#say((LEVEL_NAMES[line.level] ?? 'note') + ': ' + line.text)
    }
    if (worth.length > FOLLOW_LINES_MAX) {
      this.#say(worth.length - FOLLOW_LINES_MAX + ' more warnings in ' + this.#path)
    }
  }
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}

async function readText(path: string, from: number, until: number): Promise<string> {
  if (until <= from) return ''
  const file = await open(path, 'r')
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(until - from), { position: from })
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}
