// The highest epoch in which a member saw an owner, kept beside its journal. An etcd that was
// restored from a backup, or founded anew with a low epoch, would let an owner of before pass its
// fence.
import { existsSync, readFileSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { syncDirectory } from '../journal/segment-files.ts'

const FILE = 'owner.json'
const FORMAT = 1

/** The epoch that a member of this directory saw; 0 where it saw none. */
export function keptEpoch(directory: string): number {
  const path = join(directory, FILE)
  if (!existsSync(path)) return 0
  try {
    const row: { [name: string]: unknown } = { ...JSON.parse(readFileSync(path, 'utf8')) }
    const { format, epoch } = row
    return format === FORMAT && Number.isSafeInteger(epoch) ? Number(epoch) : 0
  } catch {
    return 0
  }
}

export class OwnerEpochs {
  readonly #directory: string
  #epoch: number
  #writing: Promise<void> = Promise.resolve()

  constructor(directory: string) {
    this.#directory = directory
    this.#epoch = keptEpoch(directory)
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
      this.#writing = this.#writing.then(() => this.#keep(epoch)).catch(() => undefined)
    }
    return null
  }

  /** Resolves when what was seen is on disk. */
  settled(): Promise<void> {
    return this.#writing
  }

  async #keep(epoch: number): Promise<void> {
    const path = join(this.#directory, FILE)
    const handle = await open(path + '.tmp', 'w', 0o600)
    try {
      await handle.writeFile(JSON.stringify({ format: FORMAT, epoch }) + '\n')
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(path + '.tmp', path)
    await syncDirectory(this.#directory)
  }
}
