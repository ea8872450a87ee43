// Messages of etcd's API as the loader of its proto file gives and takes them, and their
// translation from and to the four calls. Enums are numbers: an unknown name would be dropped in
// silence, and the fence would compare something else.
import { assert } from '../../shared/assert.ts'
import { encodeFrame } from './frame.ts'
import type {
  Compare,
  KeyValue,
  Read,
  Transacted,
  Transaction,
  WatchEvent,
  Write,
} from './store.ts'

const EQUAL = 0
const GREATER = 1
const [CREATE_REVISION, VALUE] = [1, 3]
const DELETE_EVENT = 1

export interface WireKeyValue {
  key: Buffer
  value: Buffer
  mod_revision: string
}

interface WireHeader {
  revision: string
  raft_term: string
}

interface WireRanged {
  kvs: WireKeyValue[]
}

export interface WireTransacted {
  header: WireHeader | null
  succeeded: boolean
  responses: { response_range?: WireRanged | null }[]
}

export interface WireWatched {
  canceled: boolean
  compact_revision: string
  cancel_reason: string
  events: { type: number; kv: WireKeyValue | null }[]
}

/** Returns the request of a transaction. */
export function wireTransaction({ compares, writes, otherwise }: Transaction): object {
  return {
    compare: compares.map(wireCompare),
    success: writes.map(wireWrite),
    failure: otherwise.map(wireRead),
  }
}

/** Returns the request that reads at one revision: a transaction without compares. */
export function wireReads(reads: readonly Read[]): object {
  return { compare: [], success: reads.map(wireRead), failure: [] }
}

/** Returns the request that begins a watch of the keys with a prefix. */
export function wireWatch(prefix: string, fromRevision: number): object {
  const create_request = {
    key: Buffer.from(prefix),
    range_end: prefixEnd(prefix),
    start_revision: String(fromRevision),
  }
  return { create_request }
}

function wireCompare(compare: Compare): object {
  const key = Buffer.from(compare.key)
  if (compare.is === 'value')
    return { result: EQUAL, target: VALUE, key, value: Buffer.from(compare.value) }
  const result = compare.is === 'absent' ? EQUAL : GREATER
  return { result, target: CREATE_REVISION, key, create_revision: '0' }
}

function wireWrite(write: Write): object {
  if (write.write === 'remove') {
    const range = { key: Buffer.from(write.from), range_end: Buffer.from(write.until) }
    return { request_delete_range: range }
  }
  const value = write.write === 'put' ? Buffer.from(write.value) : encodeFrame(write.frame)
  return { request_put: { key: Buffer.from(write.key), value } }
}

function wireRead({ from, until }: Read): object {
  const key = Buffer.from(from)
  // An end that is sent and empty means every key from here on: it must be missing.
  if (until === null) return { request_range: { key } }
  return { request_range: { key, range_end: Buffer.from(until) } }
}

function prefixEnd(prefix: string): Buffer {
  const end = Buffer.from(prefix)
  end.writeUInt8(end.readUInt8(end.length - 1) + 1, end.length - 1)
  return end
}

/** Returns the outcome of a transaction. */
export function transactedOf(answer: WireTransacted): Transacted {
  return {
    outcome: answer.succeeded ? 'succeeded' : 'failed',
    revision: revisionOf(answer.header?.revision),
    reads: readsOf(answer),
  }
}

/** Returns the lists that a transaction read. */
export function readsOf({ responses }: WireTransacted): KeyValue[][] {
  return responses.flatMap(({ response_range: ranged }) =>
    ranged === undefined || ranged === null ? [] : [ranged.kvs.map(keyValueOf)],
  )
}

function keyValueOf({ key, value, mod_revision }: WireKeyValue): KeyValue {
  return { key: key.toString(), value: exact(value), revision: revisionOf(mod_revision) }
}

/** Returns the events of an answer on a watch. */
export function eventsOf({ events }: WireWatched): WatchEvent[] {
  return events.flatMap(({ type, kv }) => {
    if (kv === null) return []
    const deleted = type === DELETE_EVENT
    const value = deleted ? Buffer.alloc(0) : exact(kv.value)
    return [
      { type: deleted ? ('delete' as const) : ('put' as const), key: kv.key.toString(), value },
    ]
  })
}

/** Revisions come as text, because 64 bits do not fit a number; real ones stay far below 2^53. */
export function revisionOf(text: string | undefined): number {
  const revision = Number(text ?? Number.NaN)
  assert(Number.isSafeInteger(revision), 'a revision of etcd that is no safe integer')
  return revision
}

/** A copy with memory of its own: a message between threads copies the whole memory of a view. */
export function exact(bytes: Uint8Array): Buffer {
  return Buffer.from(Uint8Array.prototype.slice.call(bytes).buffer)
}
