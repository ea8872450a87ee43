// The journals of every shard that this machine has, copied together: each lies in a backup where
// it lies in the data directory.
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { syncDirectory } from '../../engine/journal/segment-files.ts'
import { sleep } from '../../shared/clock.ts'
import { FIRST_SHARD, shardDirectory } from '../../shared/shards.ts'
import { copyIfThere, JournalCopy } from './copy-journal.ts'
import type { ShardCursor } from './dump-database.ts'
import type { BackupShard } from './manifest.ts'

const CLOCK_FILE = 'clock.json'
/** A member that follows has the entries of its owner a moment after PostgreSQL. */
const BEHIND_MS = 200
const BEHIND_TRIES = 25

/** The shards with a journal below a data directory, the first one first. */
function shardsBelow(dataDir: string): string[] {
  const directory = dirname(shardDirectory(dataDir, 's2'))
  const others = existsSync(directory) ? readdirSync(directory) : []
  return [
    FIRST_SHARD,
    ...others
      .filter((name) => /^s[1-9][0-9]?$/.test(name))
      .filter((name) => existsSync(join(directory, name, 'journal')))
      .sort((one, other) => Number(one.slice(1)) - Number(other.slice(1))),
  ]
}

export class ShardCopies {
  readonly #dataDir: string
  readonly #draft: string
  readonly #journals: ReadonlyMap<string, JournalCopy>

  constructor(dataDir: string, draft: string) {
    this.#dataDir = dataDir
    this.#draft = draft
    this.#journals = new Map(
      shardsBelow(dataDir).map((shard) => {
        const target = shardDirectory(draft, shard)
        mkdirSync(target, { recursive: true, mode: 0o700 })
        const source = join(shardDirectory(dataDir, shard), 'journal')
        return [shard, new JournalCopy(source, join(target, 'journal'))]
      }),
    )
  }

  /** Copies what came since the last round. Throws where a journal cannot be read. */
  async round(): Promise<void> {
    for (const journal of this.#journals.values()) await journal.round()
  }

  /**
   * Completes every copy and reads it back. Throws a sentence where one is not whole, is not the
   * one that the database follows, or is not on this machine.
   */
  async finish(cursors: readonly ShardCursor[]): Promise<BackupShard[]> {
    const missing = cursors.find(({ shard }) => !this.#journals.has(shard))
    if (missing !== undefined)
      throw new Error(
        `The database follows journal ${missing.journal_id} of shard ${missing.shard}, and ` +
          `${shardDirectory(this.#dataDir, missing.shard)} holds none: run it where every shard is, ` +
          'or forget one that is gone (npm run placement).',
      )
    const copied: BackupShard[] = []
    for (const [shard, journal] of this.#journals) {
      const cursor = cursors.find((row) => row.shard === shard)
      copied.push(await this.#finishOne(shard, journal, cursor))
    }
    return copied
  }

  async #finishOne(
    shard: string,
    journal: JournalCopy,
    cursor: ShardCursor | undefined,
  ): Promise<BackupShard> {
    const source = shardDirectory(this.#dataDir, shard)
    const drained = cursor?.seq ?? 0
    for (let tries = 0; tries < BEHIND_TRIES && journal.lastSeq < drained; tries++) {
      await sleep(BEHIND_MS)
      await journal.round()
    }
    const done = await journal.finish(drained)
    if (cursor !== undefined && cursor.journal_id !== done.id)
      throw new Error(
        `The database follows journal ${cursor.journal_id}, and ${source} holds ${done.id}.`,
      )
    const target = shardDirectory(this.#draft, shard)
    copyIfThere(join(source, CLOCK_FILE), join(target, CLOCK_FILE))
    for (const directory of [join(target, 'journal'), target]) await syncDirectory(directory)
    return { shard, ...done, drained_seq: drained }
  }
}
