// The highest timeline of the database that this engine followed. After a promotion the old primary
// is another database with the same rows: facts from it would be old, and entries given to it lost.
import { existsSync, readFileSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { syncDirectory } from './journal/segment-files.ts'

const FILE = 'database.json'

interface Timeline {
  system: string
  timeline: number
}

export class DatabaseTimeline {
  readonly #directory: string
  #kept: Timeline | null

  constructor(directory: string) {
    this.#directory = directory
    this.#kept = keptIn(join(directory, FILE))
  }

  /** Why a database of this identity is refused; null where it may attach. */
  problemOf(databaseId: string): string | null {
    const given = timelineOf(databaseId)
    const kept = this.#kept
    if (given === null || kept === null || given.system !== kept.system) return null
    if (given.timeline >= kept.timeline) return null
    return (
      `The database is on timeline ${given.timeline}, and this engine has followed timeline ${kept.timeline}: ` +
      'it is an old primary. Stop it, and rebuild it from the new one.'
    )
  }

  /** Keeps the timeline durably; a lower one of the same system is refused from then on. */
  async follow(databaseId: string): Promise<void> {
    const given = timelineOf(databaseId)
    if (given === null || isSame(given, this.#kept)) return
    const path = join(this.#directory, FILE)
    const handle = await open(path + '.tmp', 'w', 0o600)
    try {
      await handle.writeFile(JSON.stringify(given) + '\n')
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(path + '.tmp', path)
    await syncDirectory(this.#directory)
    this.#kept = given
  }
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
  if (!existsSync(path)) return null
  try {
    const row: { [name: string]: unknown } = { ...JSON.parse(readFileSync(path, 'utf8')) }
    const { system, timeline } = row
    return typeof system === 'string' && typeof timeline === 'number' ? { system, timeline } : null
  } catch {
    return null
  }
}
