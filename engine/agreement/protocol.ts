// The transactions of a shard and the meaning of their outcomes, as pure functions: the fence of an
// owner lies here and nowhere else.
import { type Founded, historyRows, readHistory } from './founding-history.ts'
import { decodeFrame } from './frame.ts'
import type { ShardKeys } from './keys.ts'
import type { Compare, Frame, Transacted, Transaction, Unknown } from './store.ts'

/** The owner of a shard, as its key tells: `<epoch> <member>`. */
export interface Owner {
  epoch: number
  memberId: string
}

/** The value of `owner` before any member owned the shard. */
export const NO_OWNER: Owner = { epoch: 0, memberId: '-' }

/** The fence compares these bytes. */
export function ownerValue({ epoch, memberId }: Owner): Buffer {
  return Buffer.from(epoch + ' ' + memberId)
}

/** Reads the value of `owner`, or returns null where it is malformed. */
export function readOwner(value: Buffer): Owner | null {
  const match = /^(\d{1,9}) ([\w-]{1,64})$/.exec(value.toString('latin1'))
  if (match === null) return null
  return { epoch: Number(match[1]), memberId: match[2] ?? '' }
}

export interface AppendOrder {
  owner: Owner
  frame: Frame
  /** Key of the batch before this one: it is never trimmed while it is the last. */
  lastKey: string
}

export type AppendVerdict =
  | { verdict: 'committed' }
  /** The same transaction again; never other bytes under this sequence. */
  | { verdict: 'again'; reason: string }
  /** Another member owns the shard: nothing more may be answered. */
  | { verdict: 'lost'; owner: Owner | null }
  /** An assertion failed: the process stops. */
  | { verdict: 'failed'; reason: string }

export interface TakeOverOrder {
  /** The owner and the floor that were read with everything before `nextSeq`. */
  seen: Owner
  floor: string | null
  mine: Owner
  nextSeq: number
}

export const PROTOCOL = {
  append(keys: ShardKeys, { owner, frame, lastKey }: AppendOrder): Transaction {
    const key = keys.log(frame.first)
    return {
      compares: [
        { key: keys.owner, is: 'value', value: ownerValue(owner) },
        { key, is: 'absent' },
        // Without it a try that was delayed beyond a trim would write its batch a second time.
        { key: lastKey, is: 'present' },
      ],
      writes: [{ write: 'frame', key, frame }],
      otherwise: [
        { from: keys.owner, until: null },
        { from: key, until: null },
      ],
    }
  },

  judgeAppend(outcome: Transacted | Unknown, { owner, frame }: AppendOrder): AppendVerdict {
    if (outcome.outcome === 'unknown') return { verdict: 'again', reason: outcome.reason }
    if (outcome.outcome === 'succeeded') return { verdict: 'committed' }
    const [ownerRead, batchRead] = outcome.reads
    const holds = ownerRead?.[0]?.value
    if (holds === undefined || !holds.equals(ownerValue(owner)))
      return { verdict: 'lost', owner: holds === undefined ? null : readOwner(holds) }
    const found = batchRead?.[0]?.value
    if (found !== undefined && isSameFrame(found, frame)) return { verdict: 'committed' }
    const holdsText = found === undefined ? 'nothing' : 'another batch'
    return {
      verdict: 'failed',
      reason:
        'the agreement store holds ' + holdsText + ' at entry ' + frame.first + ' of this owner',
    }
  },

  takeOver(keys: ShardKeys, { seen, mine, nextSeq, floor }: TakeOverOrder): Transaction {
    return {
      compares: [
        { key: keys.owner, is: 'value', value: ownerValue(seen) },
        { key: keys.log(nextSeq), is: 'absent' },
        // An owner may have confirmed a config record since: the next one must know of it.
        floorCompare(keys, floor),
      ],
      writes: [{ write: 'put', key: keys.owner, value: ownerValue(mine) }],
      otherwise: [{ from: keys.owner, until: null }],
    }
  },

  /** The owner names the next one; a batch of its own that is late fails the fence. */
  handOver(keys: ShardKeys, owner: Owner, next: Owner): Transaction {
    return {
      compares: [{ key: keys.owner, is: 'value', value: ownerValue(owner) }],
      writes: [{ write: 'put', key: keys.owner, value: ownerValue(next) }],
      otherwise: [{ from: keys.owner, until: null }],
    }
  },

  /** Removes the batches before `untilKey`. */
  trim(keys: ShardKeys, owner: Owner, untilKey: string): Transaction {
    return {
      compares: [{ key: keys.owner, is: 'value', value: ownerValue(owner) }],
      writes: [{ write: 'remove', from: keys.logBegin, until: untilKey }],
      otherwise: [{ from: keys.owner, until: null }],
    }
  },

  /**
   * Raises the cursor of config records that were confirmed to a caller. The comparison with the
   * cursor before keeps a delayed try from lowering it again.
   */
  raiseFloor(
    keys: ShardKeys,
    owner: Owner,
    { before, cursor }: { before: string | null; cursor: string },
  ): Transaction {
    return {
      compares: [
        { key: keys.owner, is: 'value', value: ownerValue(owner) },
        floorCompare(keys, before),
      ],
      writes: [{ write: 'put', key: keys.floor, value: Buffer.from(cursor) }],
      otherwise: [
        { from: keys.owner, until: null },
        { from: keys.floor, until: null },
      ],
    }
  },
} as const

export type Protocol = typeof PROTOCOL

function floorCompare({ floor: key }: ShardKeys, cursor: string | null): Compare {
  if (cursor === null) return { key, is: 'absent' }
  return { key, is: 'value', value: Buffer.from(cursor) }
}

function isSameFrame(found: Buffer, frame: Frame): boolean {
  const decoded = decodeFrame(found)
  if (!decoded.ok) return false
  const { epoch, first, count, entries } = decoded.value
  return (
    epoch === frame.epoch &&
    first === frame.first &&
    count === frame.count &&
    entries.equals(frame.entries)
  )
}

export interface Founding {
  journalId: string
  /** The last entry of the journal that founds the shard; 0 for an empty one. */
  lastSeq: number
  /** The last epoch that owners of an etcd that is gone may have had; 0 when absent. */
  epoch?: number
  /** Told apart by it are adoptions of different journals; empty for a first founding. */
  id?: string
  /** The foundings before, oldest first. */
  before?: readonly Founded[]
}

/** The foundings of a shard in order, this one last. */
export function historyOf({ lastSeq, epoch = 0, id = '', before = [] }: Founding): Founded[] {
  return [...before, { id, epoch, lastSeq }]
}

const FOUNDING_FORMAT = 1

/**
 * Founds a shard: its journal, no owner, and a batch without entries behind the founding journal's
 * last entry, because an append always compares that the batch before it is there.
 */
export function foundTransaction(
  keys: ShardKeys,
  { journalId, lastSeq, epoch = 0, id = '', before = [] }: Founding,
): Transaction {
  const journal = JSON.stringify({
    format: FOUNDING_FORMAT,
    journal_id: journalId,
    last_seq: lastSeq,
    epoch,
    id,
    before: historyRows(before),
  })
  const frame: Frame = { epoch: 0, first: lastSeq + 1, count: 0, entries: Buffer.alloc(0) }
  return {
    compares: [
      { key: keys.journal, is: 'absent' },
      { key: keys.owner, is: 'absent' },
    ],
    writes: [
      { write: 'put', key: keys.journal, value: Buffer.from(journal) },
      { write: 'put', key: keys.owner, value: ownerValue({ ...NO_OWNER, epoch }) },
      // Key order is sequence order, so the empty batch stands before the first real one.
      { write: 'frame', key: keys.log(lastSeq), frame },
    ],
    otherwise: [{ from: keys.journal, until: null }],
  }
}

/** Reads what `foundTransaction` wrote; null where another version wrote it. */
export function readFounding(value: Buffer): Founding | null {
  try {
    const row: { [name: string]: unknown } = { ...JSON.parse(value.toString('utf8')) }
    // Releases before wrote no epoch, no id, and no foundings before.
    const { format, journal_id: journalId, last_seq: lastSeq, epoch = 0, id = '' } = row
    const before = readHistory(row['before'] ?? [])
    if (format !== FOUNDING_FORMAT || typeof journalId !== 'string') return null
    if (typeof lastSeq !== 'number' || typeof epoch !== 'number') return null
    if (typeof id !== 'string' || before === null) return null
    return { journalId, lastSeq, epoch, id, before }
  } catch {
    return null
  }
}
