// The highest epoch in which a member saw an owner and the founding of the shard that it joined,
// kept beside its journal. An etcd that was restored from a backup, or founded anew with a low
// epoch, would let an owner of before pass its fence; a shard that was founded anew without this
// member's last entries decided others under their sequences.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Founding } from '../agreement/protocol.ts'
import { replaceFile } from '../journal/replace-file.ts'

const FILE = 'owner.json'
const FORMAT = 1

interface Kept {
  epoch: number
  /** Null where nothing or a release before wrote the file. */
  journalId: string | null
  founded: Founded | null
}

type Founded = Required<Pick<Founding, 'epoch' | 'lastSeq'>>

const NOTHING: Kept = { epoch: 0, journalId: null, founded: null }

/** The epoch that a member of this journal saw here; 0 where it saw none. */
export function keptEpoch(directory: string, journalId: string): number {
  return keptOf(directory, journalId).epoch
}

export class OwnerEpochs {
  readonly #directory: string
  readonly #journalId: string
  #epoch: number
  #founded: Founded | null
  #writing: Promise<void> = Promise.resolve()

  constructor(directory: string, journalId: string) {
    const { epoch, founded } = keptOf(directory, journalId)
    this.#directory = directory
    this.#journalId = journalId
    this.#epoch = epoch
    this.#founded = founded
  }

  /**
   * Why a journal that ends at `lastSeq` is not the shard's; null where it is, and the founding is
   * on disk before the member keeps an entry that came after it.
   */
  async join({ epoch = 0, lastSeq: from }: Founding, lastSeq: number): Promise<string | null> {
    const known = this.#founded
    const isSame = known !== null && known.epoch === epoch && known.lastSeq === from
    if (isSame) return null
    // A release before kept no founding, but the epochs of the owners after it.
    const hasJoined = known === null && (epoch === 0 || this.#epoch > epoch)
    if (!hasJoined && lastSeq > from)
      return (
        `the journal of this member ends at entry ${lastSeq}, and the shard was founded anew after ` +
        `entry ${from} without it. Where no engine decided since, stop every engine of the shard, ` +
        'then: npm run cluster -- adopt, with this journal. Else move the directory away and keep it'
      )
    this.#founded = { epoch, lastSeq: from }
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
    const founded =
      this.#founded === null
        ? {}
        : { founded: { epoch: this.#founded.epoch, last_seq: this.#founded.lastSeq } }
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
      founded: foundedOf(row['founded']),
    }
  } catch {
    return NOTHING
  }
}

function foundedOf(value: unknown): Founded | null {
  if (typeof value !== 'object' || value === null) return null
  const { epoch, last_seq: lastSeq }: { [name: string]: unknown } = { ...value }
  if (!Number.isSafeInteger(epoch) || !Number.isSafeInteger(lastSeq)) return null
  return { epoch: Number(epoch), lastSeq: Number(lastSeq) }
}
