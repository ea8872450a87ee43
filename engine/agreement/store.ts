// The agreement store as the engine uses it: four calls, each answered by a callback. etcd stands
// behind them in production, a simulated store in tests. Nothing here retries: an unknown outcome
// is handed to the caller, who alone knows what may be sent again.

/** The entries of one batch; a store writes them as the bytes of `encodeFrame`. */
export interface Frame {
  /** Epoch of the owner that wrote the batch. */
  epoch: number
  /** Sequence of the first entry. */
  first: number
  count: number
  /** `u32 LE length, bytes` per entry. */
  entries: Buffer
}

export type Compare =
  | { key: string; is: 'value'; value: Buffer }
  | { key: string; is: 'absent' }
  | { key: string; is: 'present' }

export type Write =
  | { write: 'put'; key: string; value: Buffer }
  | { write: 'frame'; key: string; frame: Frame }
  /** Removes the keys from `from` on and before `until`. */
  | { write: 'remove'; from: string; until: string }

/** One key, or every key from `from` on and before `until`, in order. */
export interface Read {
  from: string
  until: string | null
}

export interface Transaction {
  /** All must hold. */
  compares: readonly Compare[]
  writes: readonly Write[]
  /** Read at the same revision where a compare did not hold. */
  otherwise: readonly Read[]
}

export interface KeyValue {
  key: string
  value: Buffer
  /** Revision of the last write. */
  revision: number
}

/** The call ended without an answer: it may have been applied, or may be applied later. */
export interface Unknown {
  outcome: 'unknown'
  reason: string
}

export interface Transacted {
  outcome: 'succeeded' | 'failed'
  revision: number
  /** One list per read of `otherwise`; empty where the compares held. */
  reads: readonly (readonly KeyValue[])[]
}

export interface Ranged {
  outcome: 'read'
  revision: number
  reads: readonly (readonly KeyValue[])[]
}

export interface WatchEvent {
  type: 'put' | 'delete'
  key: string
  /** Empty for a delete. */
  value: Buffer
}

export interface WatchHandlers {
  /** Events of whole revisions, in order. */
  onEvents(events: readonly WatchEvent[]): void
  /** The watch is over: the connection ended, or its revision was compacted. */
  onCancelled(reason: string): void
}

export interface Watch {
  /** No handler is called afterwards. */
  cancel(): void
}

export interface AgreementStore {
  transact(transaction: Transaction, done: (outcome: Transacted | Unknown) => void): void
  /** Reads everything at one revision, linearizably. */
  range(reads: readonly Read[], done: (outcome: Ranged | Unknown) => void): void
  /** Watches the keys that begin with `prefix`, from a revision on. */
  watch(range: { prefix: string; fromRevision: number }, handlers: WatchHandlers): Watch
  /** Forgets the history before a revision. */
  compact(revision: number, done: (failure: string | null) => void): void
  close(): Promise<void>
}
