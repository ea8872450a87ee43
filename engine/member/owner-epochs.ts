// The highest epoch in which a member saw an owner and the foundings of the shard that it joined,
// kept beside its journal. An etcd that was restored from a backup, or founded anew with a low
// epoch, would let an owner of before pass its fence; a shard that was founded anew without this
// member's last entries decided others under their sequences.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import {
  type Founded,
  historyRows,
  readFounded,
  readHistory,
  sharedUntil,
} from '../agreement/founding-history.ts'
import { type Founding, historyOf } from '../agreement/protocol.ts'
import { replaceFile } from '../journal/replace-file.ts'

const FILE = 'owner.json'
const FORMAT = 1

interface Kept {
  epoch: number
  /** Null where nothing or a release before wrote the file. */
  journalId: string | null
  /** The foundings of the shard, the one that was joined last; empty before the first. */
  history: readonly Founded[]
}

const NOTHING: Kept = { epoch: 0, journalId: null, history: [] }

/** The highest epoch that a member of this journal saw here, 0 for none, and its foundings. */
export function keptOwners(
  directory: string,
  journalId: string,
): { seenEpoch: number; history: readonly Founded[] } {
  const { epoch, history } = keptOf(directory, journalId)
  return { seenEpoch: epoch, history }
}

export class OwnerEpochs {
  readonly #directory: string
  readonly #journalId: string
  #epoch: number
  #history: readonly Founded[]
  #writing: Promise<void> = Promise.resolve()

  constructor(directory: string, journalId: string) {
    const { epoch, history } = keptOf(directory, journalId)
    this.#directory = directory
    this.#journalId = journalId
    this.#epoch = epoch
    this.#history = history
  }

  /**
   * Why a journal that ends at `lastSeq` is not the shard's; null where it is, and the founding is
   * on disk before the member keeps an entry that came after it.
   */
  async join(founding: Founding, lastSeq: number): Promise<string | null> {
    const shard = historyOf(founding)
    const until = sharedUntil({ history: this.#history, seenEpoch: this.#epoch }, shard)
    if (until !== null && lastSeq > until)
      return (
        `the journal of this member ends at entry ${lastSeq}, and the shard was founded anew after ` +
        `entry ${until} without it. Where no engine decided since, stop every engine of the shard, ` +
        'then: npm run cluster -- adopt, with this journal. Else move the directory away and keep it'
      )
    if (isDeepStrictEqual(this.#history, shard)) return null
    this.#history = shard
    await this.#write()
    return null
  }

  /** Why an owner of this epoch cannot be; null where it can, and its epoch is kept. */
  refuse(epoch: number): string | null {
    if (epoch < this.#epoch)
      return (
        `etcd names epoch ${epoch}, and this member saw an owner in epoch ${this.#epoch}: etcd was ` +
        'restored or founded anew. Stop every engine of the shard, then: npm run cluster -- adopt'
      )
    if (epoch > this.#epoch) {
      this.#epoch = epoch
      // A member that ends before has kept an earlier one; the other members keep this one too.
      this.#write().catch(() => undefined)
    }
    return null
  }

  /** Resolves when what was seen is on disk. */
  settled(): Promise<void> {
    return this.#writing.catch(() => undefined)
  }

  #write(): Promise<void> {
    this.#writing = this.settled().then(() => this.#keep())
    return this.#writing
  }

  async #keep(): Promise<void> {
    const path = join(this.#directory, FILE)
    const rows = historyRows(this.#history)
    const founded = rows.length === 0 ? {} : { founded: rows.at(-1), before: rows.slice(0, -1) }
    const row = { format: FORMAT, epoch: this.#epoch, journal_id: this.#journalId, ...founded }
    await replaceFile(path, JSON.stringify(row) + '\n')
  }
}

/** Nothing counts that was kept beside another journal. */
function keptOf(directory: string, journalId: string): Kept {
  const path = join(directory, FILE)
  const kept = existsSync(path) ? parse(readFileSync(path, 'utf8')) : NOTHING
  return kept.journalId === null || kept.journalId === journalId ? kept : NOTHING
}

function parse(text: string): Kept {
  try {
    const row: { [name: string]: unknown } = { ...JSON.parse(text) }
    const { format, epoch, journal_id: journalId } = row
    if (format !== FORMAT || !Number.isSafeInteger(epoch)) return NOTHING
    return {
      epoch: Number(epoch),
      journalId: typeof journalId === 'string' ? journalId : null,
      history: historyIn(row),
    }
  } catch {
    return NOTHING
  }
}

/** A release before kept the last founding alone. */
function historyIn({ founded, before = [] }: { [name: string]: unknown }): readonly Founded[] {
  const [last, earlier] = [readFounded(founded), readHistory(before)]
  return last === null || earlier === null ? [] : [...earlier, last]
}
