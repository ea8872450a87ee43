// A directory as a power cut leaves it: synced data is there; unsynced data may be there, in whole,
// in part or not at all; names follow a sync of the directory, until then any first part of the
// changes may have reached the device.
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Random } from '../../simulation/random.ts'
import type { Recorded } from './recording.ts'

export const SURVIVALS = ['drop', 'keep', 'subset', 'tear'] as const
/** The surviving part of unsynced writes: none, all, some, or some sectors of each. */
export type Survival = (typeof SURVIVALS)[number]

const SECTOR_BYTES = 512

interface Write {
  at: number
  data: Buffer
  /** A truncation counts as a write without data. */
  truncates: boolean
}

interface File {
  durable: Buffer
  /** Unsynced writes, oldest first. */
  open: Write[]
}

type NameChange =
  | { kind: 'created'; name: string; file: File }
  | { kind: 'renamed'; name: string; to: string }
  | { kind: 'removed'; name: string }

export class Disk {
  readonly #files = new Map<bigint, File>()
  #names = new Map<string, File>()
  #changes: NameChange[] = []
  /** Bodies of the answers sent so far. */
  readonly answered: string[] = []

  /** Number of writes and name changes that a power cut could still undo. */
  get unsynced(): number {
    let count = this.#changes.length
    for (const file of this.#files.values()) count += file.open.length
    return count
  }

  apply(record: Recorded): void {
    const { kind, inode, at, data } = record
    const name = basename(record.name)
    switch (kind) {
      case 'created': {
        const file: File = { durable: Buffer.alloc(0), open: [] }
        this.#files.set(inode, file)
        this.#changes.push({ kind, name, file })
        return
      }
      case 'truncated':
        this.#files.get(inode)?.open.push({ at: 0, data: Buffer.alloc(0), truncates: true })
        return
      case 'write_begins':
        this.#files.get(inode)?.open.push({ at, data, truncates: false })
        return
      case 'write_ends':
        this.#settle(inode, (write) => write.at === at && !write.truncates)
        return
      case 'synced':
        this.#settle(inode, () => true)
        return
      case 'renamed':
        this.#changes.push({ kind, name, to: basename(data.toString()) })
        return
      case 'removed':
        this.#changes.push({ kind, name })
        return
      case 'directory_synced':
        this.#names = renamed(this.#names, this.#changes)
        this.#changes = []
        return
      case 'answered':
        this.answered.push(data.subarray(data.indexOf('{"message_id"')).toString())
    }
  }

  /** Writes into `directory` the files that a power cut would leave now. */
  image(directory: string, survival: Survival, random: Random): void {
    mkdirSync(directory, { recursive: true })
    const reached =
      survival === 'drop'
        ? 0
        : survival === 'keep'
          ? this.#changes.length
          : random.below(this.#changes.length + 1)
    for (const [name, file] of renamed(this.#names, this.#changes.slice(0, reached))) {
      const writes = file.open.flatMap((write) => surviving(write, survival, random))
      writeFileSync(join(directory, name), writes.reduce(written, file.durable))
    }
  }

  #settle(inode: bigint, settles: (write: Write) => boolean): void {
    const file = this.#files.get(inode)
    if (file === undefined) return
    file.durable = file.open.filter(settles).reduce(written, file.durable)
    file.open = file.open.filter((write) => !settles(write))
  }
}

/**
 * The names after some changes; a rename without a known file concerns none of the engine's files.
 */
function renamed(
  before: ReadonlyMap<string, File>,
  changes: readonly NameChange[],
): Map<string, File> {
  const names = new Map(before)
  for (const change of changes) {
    const file = change.kind === 'created' ? change.file : names.get(change.name)
    if (change.kind !== 'created') names.delete(change.name)
    if (file !== undefined && change.kind !== 'removed')
      names.set(change.kind === 'created' ? change.name : change.to, file)
  }
  return names
}

function surviving(write: Write, survival: Survival, random: Random): Write[] {
  if (survival === 'drop') return []
  if (survival === 'keep') return [write]
  if (survival === 'subset' || write.truncates) return random.below(2) === 0 ? [] : [write]
  const sectors: Write[] = []
  const end = write.at + write.data.length
  for (let at = write.at; at < end; ) {
    const next = Math.min(end, at - (at % SECTOR_BYTES) + SECTOR_BYTES)
    const data = write.data.subarray(at - write.at, next - write.at)
    if (random.below(2) === 0) sectors.push({ at, data, truncates: false })
    at = next
  }
  return sectors
}

function written(bytes: Buffer, write: Write): Buffer {
  if (write.truncates) return Buffer.alloc(0)
  const end = write.at + write.data.length
  const grown = Buffer.alloc(Math.max(bytes.length, end))
  bytes.copy(grown)
  write.data.copy(grown, write.at)
  return grown
}
