// Logs of an event that happened once, in ranges of blocks that RPC providers accept.
import { hexNumber, transactionsOf } from './answers.ts'
import type { Hex } from './hex.ts'
import type { Quorum } from './quorum.ts'

/** Chosen: the smallest range that a paid provider of RPCs is known to be bound to. */
export const LOG_BLOCKS_MAX = 500

interface LogSearch {
  address: Hex
  topics: readonly Hex[]
  /** The event happened after this block. */
  after: number
  head: number
  /** Fewer RPCs that answer are silence. */
  least: number
}

interface LogFilter {
  address: Hex
  topics: readonly Hex[]
  fromBlock: string
  toBlock: string
}

/**
 * The transactions of an event, by ranges from the head back to the block after which it happened.
 * Nodes answer ranges that they lack with an empty list: an RPC that has the event outvotes them,
 * and where none has it the search ends in silence.
 */
export async function searchLogs(
  { address, topics, after, head, least }: LogSearch,
  ask: (
    filter: LogFilter,
    read: (answer: unknown) => readonly Hex[] | null,
  ) => Promise<Quorum<readonly Hex[]>>,
): Promise<Quorum<readonly Hex[]>> {
  for (let to = head; to > after; to -= LOG_BLOCKS_MAX) {
    const from = Math.max(after + 1, to - LOG_BLOCKS_MAX + 1)
    let empty = 0
    const filter = { address, topics, fromBlock: hexNumber(from), toBlock: hexNumber(to) }
    const answer = await ask(filter, (logs) => {
      const hashes = transactionsOf(logs)
      if (hashes?.length === 0) empty += 1
      return hashes === null || hashes.length === 0 ? null : hashes
    })
    if (answer.kind !== 'silent' || empty < least) return answer
  }
  return { kind: 'silent', failures: [] }
}
