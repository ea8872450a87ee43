// The highest timeline of the database that this engine followed. After a promotion the old primary
// is another database with the same rows: facts from it would be old, and entries given to it lost.
import { existsSync, readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Result } from '../shared/result.ts'
import { replaceFile } from './journal/replace-file.ts'

const FILE = 'database.json'

interface Timeline {
  system: string
  timeline: number
  /** An operator accepted it although the engine had followed a later one. */
  isAccepted?: boolean
}

export class DatabaseTimeline {
  readonly #directory: string
  #kept: Timeline | null

  constructor(directory: string) {
    this.#directory = directory
    this.#kept = keptIn(join(directory, FILE))
  }

  /** Why a database of this identity is refused; null where it may attach. */
  async problemOf(databaseId: string): Promise<string | null> {
    const given = timelineOf(databaseId)
    if (given === null || !isBehind(given, this.#kept)) return null
    // An operator may have accepted it meanwhile.
    this.#kept = readRow(await readFile(join(this.#directory, FILE), 'utf8').catch(() => ''))
    if (this.#kept === null || !isBehind(given, this.#kept)) return null
    return (
      `The database is on timeline ${given.timeline}, and this engine has followed timeline ${this.#kept.timeline}: ` +
      'it is an old primary. Stop it, and rebuild it from the new one. Where it was put back to an ' +
      `earlier state on purpose: npm run journal -- accept-timeline ${given.system}:${given.timeline}`
    )
  }

  /**
   * True where the database took the place of a former one, so that its records need not contain
   * what the former one confirmed: another database, a later timeline, or an operator's word.
   */
  replaces(databaseId: string, formerId: string): boolean {
    const [given, former] = [timelineOf(databaseId), timelineOf(formerId)]
    if (given === null || former === null) return databaseId !== formerId
    if (!isBehind(given, former)) return databaseId !== formerId
    return isSame(given, this.#kept) && this.#kept?.isAccepted === true
  }

  /** Keeps the timeline durably; a lower one of the same system is refused from then on. */
  async follow(databaseId: string): Promise<void> {
    const given = timelineOf(databaseId)
    if (given === null || isSame(given, this.#kept)) return
    const path = join(this.#directory, FILE)
    await replaceFile(path, JSON.stringify(given) + '\n')
    this.#kept = given
  }
}

/**
 * An operator's word: a database of this system and timeline may attach to the engine of the
 * directory. Refuses, in a sentence, what the engine does not refuse.
 */
export async function acceptTimeline(
  directory: string,
  name: string,
): Promise<Result<null, string>> {
  const [, system = '', digits = ''] = /^(\d{1,20}):(\d{1,10})$/.exec(name) ?? []
  if (system === '') return { ok: false, error: 'A timeline is named as 7123456789:1.' }
  const given = { system, timeline: Number(digits), isAccepted: true }
  const path = join(directory, FILE)
  if (!isBehind(given, keptIn(path)))
    return { ok: false, error: 'The engine of ' + directory + ' refuses no such timeline.' }
  // The file stays that of the engine's account.
  await writeFile(path, JSON.stringify(given) + '\n', { flush: true })
  return { ok: true, value: null }
}

function isBehind(given: Timeline, kept: Timeline | null): boolean {
  return kept !== null && given.system === kept.system && given.timeline < kept.timeline
}

function isSame(one: Timeline, other: Timeline | null): boolean {
  return one.system === other?.system && one.timeline === other.timeline
}

/** Installation, system and timeline of `<installation>:<system>:<timeline>:<database>`. */
function timelineOf(databaseId: string): Timeline | null {
  const match = /^[\w-]+:(\d{1,20}):(\d{1,10}):\d+$/.exec(databaseId)
  return match === null ? null : { system: match[1] ?? '', timeline: Number(match[2]) }
}

/** Null where none was kept, or the file cannot be read: a database is then taken as it comes. */
function keptIn(path: string): Timeline | null {
  try {
    return existsSync(path) ? readRow(readFileSync(path, 'utf8')) : null
  } catch {
    return null
  }
}

function readRow(text: string): Timeline | null {
  try {
    const row: { [name: string]: unknown } = { ...JSON.parse(text) }
    const { system, timeline, isAccepted } = row
    return typeof system === 'string' && typeof timeline === 'number'
      ? { system, timeline, isAccepted: isAccepted === true }
      : null
  } catch {
    return null
  }
}
