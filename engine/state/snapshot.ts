// Converts decision state to chunks of bytes and back. A snapshot is the state after one journal
// entry, without reservations: no answer ever depended on them.
import { Packr } from 'msgpackr'
import { UnknownFormat } from '../../shared/unknown-format.ts'
import type { CreditRow } from './credit-use.ts'
import { type DecisionState, emptyState } from './decision-state.ts'
import type { FraudCounterRows } from './fraud-counters.ts'
import type { MerchantLockRow } from './merchant-locks.ts'
import type { MeterRow } from './meters.ts'
import type { RowOverflow } from './row-overflow.ts'
import type { StandInRow } from './stand-in-use.ts'
import type { Portion } from './window-ref.ts'

const FORMAT = 2
const METERS_PER_CHUNK = 4096
const TAGS = {
  head: 1,
  meters: 2,
  recall: 5,
  tries: 6,
  usage: 7,
  standIn: 8,
  transactionOverflow: 9,
  transactions: 10,
  credits: 11,
} as const

const packr = new Packr({ useRecords: false })

type OverflowRow = [place: number, row: RowOverflow | null, portions: readonly Portion[]]

interface Head {
  format: number
  seq: number
  forgotten: number
  latestMs: number
}

/**
 * Every chunk begins with its tag; the head comes first, overflow before the rows it belongs to.
 */
export function* snapshotChunks(state: DecisionState): Iterable<Buffer> {
  const head: Head = {
    format: FORMAT,
    seq: state.seq,
    forgotten: state.forgotten,
    latestMs: state.latestMs,
  }
  yield tagged(TAGS.head, packr.pack(head))
  let rows: MeterRow[] = []
  for (const row of state.meters.rows()) {
    rows.push(row)
    if (rows.length === METERS_PER_CHUNK) {
      yield tagged(TAGS.meters, packr.pack(rows))
      rows = []
    }
  }
  yield tagged(TAGS.meters, packr.pack(rows))
  yield tagged(TAGS.transactionOverflow, packr.pack(state.transactions.overflow()))
  for (const chunk of state.transactions.chunks()) yield tagged(TAGS.transactions, chunk)
  yield tagged(TAGS.tries, packr.pack(state.tries.rows()))
  yield tagged(TAGS.usage, packr.pack([...state.usage.rows()]))
  yield tagged(TAGS.standIn, packr.pack([...state.standIn.rows()]))
  yield tagged(TAGS.credits, packr.pack([...state.credits.rows()]))
  for (const chunk of state.recall.chunks()) yield tagged(TAGS.recall, chunk)
}

/** Returns the state that `snapshotChunks` wrote. Throws UnknownFormat for another version's. */
export function stateFromChunks(chunks: Iterable<Buffer>): DecisionState {
  const state = emptyState()
  let transactionOverflow: ReadonlyMap<number, [RowOverflow | null, readonly Portion[]]> = new Map()
  for (const chunk of chunks) {
    const body = chunk.subarray(1)
    switch (chunk[0]) {
      case TAGS.head: {
        const head = packr.unpack(body) as Head
        if (head.format !== FORMAT)
          throw new UnknownFormat('a snapshot of an unknown format, ' + head.format)
        state.seq = head.seq
        state.forgotten = head.forgotten
        state.latestMs = head.latestMs
        break
      }
      case TAGS.meters:
        for (const row of packr.unpack(body) as MeterRow[]) state.meters.restore(row)
        break
      case TAGS.transactionOverflow:
        transactionOverflow = new Map(
          (packr.unpack(body) as OverflowRow[]).map(([place, row, portions]) => [
            place,
            [row, portions],
          ]),
        )
        break
      case TAGS.transactions:
        state.transactions.restore(body, transactionOverflow)
        break
      case TAGS.tries:
        state.tries.restore(packr.unpack(body) as FraudCounterRows)
        break
      case TAGS.usage:
        for (const row of packr.unpack(body) as MerchantLockRow[]) state.usage.restore(row)
        break
      case TAGS.standIn:
        for (const row of packr.unpack(body) as StandInRow[]) state.standIn.restore(row)
        break
      case TAGS.credits:
        for (const row of packr.unpack(body) as CreditRow[]) state.credits.restore(row)
        break
      case TAGS.recall:
        state.recall.load(body)
        break
      default:
        throw new UnknownFormat('a snapshot with a part of an unknown kind, ' + chunk[0])
    }
  }
  return state
}

function tagged(tag: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.of(tag), body])
}
