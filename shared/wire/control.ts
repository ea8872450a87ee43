// The engine's private socket: HTTP/1.1 over a Unix socket (mode 0600), bodies msgpack unless said otherwise.
// Both sides import the paths and bodies from here.
import type { FactChange } from './facts.ts'

export const CONTROL_PATHS = {
  /** GET → ControlStatus. */
  status: '/status',
  /** POST AttachRequest → AttachAnswer. Must succeed before facts are pushed. */
  attach: '/attach',
  /** POST PushFacts → {}. Answered when the batch is committed. */
  facts: '/facts',
  /** GET ?xid=N → 200 {} as soon as the facts' cursor covers that transaction; 504 {} after ENGINE_COVER_MS_MAX. */
  covers: '/covers',
  /** GET ?from=SEQ&bytes_max=N → raw journal frames (application/octet-stream), each entry prefixed by its length (u32 LE). */
  journal: '/journal',
  /** POST DrainedRequest → {}. Entries up to `seq` are in Postgres. */
  drained: '/drained',
} as const

export interface ControlStatus {
  ready: boolean
  /** Why not ready, in one sentence; null when ready. */
  reason: string | null
  journal_id: string
  epoch: number
  /** Sequence of the last entry that is synced; 0 when none. */
  synced_seq: number
  drained_seq: number
  /** False until a database confirmed this journal as its own. */
  attached: boolean
  /** Identity of the database the facts came from; null when there are none. */
  database_id: string | null
  /** `pg_snapshot` text of the facts, or null where they are incomplete. */
  facts_cursor: string | null
}

export interface AttachRequest {
  database_id: string
  /** What Postgres has drained: null where it never drained any journal. */
  journal: { journal_id: string; seq: number } | null
}

/** `refused` carries the sentence for the operator; the engine stays not ready. */
export type AttachAnswer = { attached: true } | { attached: false; refused: string }

export interface PushFacts {
  database_id: string
  /**
   * `begin` opens an empty generation beside the current one, `part` adds to it, `commit` makes it the current one
   * with `cursor`; `change` applies to the current one and moves its cursor.
   */
  step: 'begin' | 'part' | 'commit' | 'change'
  changes: readonly FactChange[]
  /** `pg_snapshot` text that covers the rows; null with `begin` and `part`. */
  cursor: string | null
}

export interface DrainedRequest {
  journal_id: string
  seq: number
}

/** True when the transaction is visible in the `pg_snapshot` text `xmin:xmax:xip,…`. */
export function snapshotCovers(snapshot: string, xid: bigint): boolean {
  const [low, high, open] = snapshot.split(':')
  if (low === undefined || high === undefined) return false
  if (xid < BigInt(low)) return true
  if (xid >= BigInt(high)) return false
  return open === undefined || open === '' || !open.split(',').some((text) => BigInt(text) === xid)
}
